// SPDX-License-Identifier: BSD-3-Clause
// The manual page in roff, generated from the tree of subcommands and options.
#include <fmt/format.h>

#include <algorithm>

#include "jobs/command/command_tree.hpp"

namespace shardstone::command {

namespace {

/// Text as roff takes it: no hyphen is made a dash, no line is a request.
std::string escaped(const std::string& text) {
    std::string out;
    for (const char c : text) {
        const bool line_begins = out.empty() || out.back() == '\n';
        if (line_begins && (c == '.' || c == '\'')) out += "\\&";
        if (c == '-') {
            out += "\\-";
        } else if (c == '\\') {
            out += "\\e";
        } else {
            out += c;
        }
    }
    return out;
}

/// Lines as they stand: examples and tables.
std::string as_it_stands(const std::string& text) {
    return text.empty() ? "" : fmt::format(".PP\n.nf\n{}\n.fi\n", escaped(text));
}

std::string entry(const OptionText& option) {
    std::string names;
    for (const std::string& name : option.names) {
        names += fmt::format("{}\\fB{}\\fR", names.empty() ? "" : ", ", escaped(name));
    }
    const std::string value = option.value.empty() ? "" : " \\fI" + escaped(option.value) + "\\fR";
    return fmt::format(".TP\n{}{}\n{}\n", names, value, escaped(option.description));
}

/// In the order and below the headings of --help.
std::string options_of(const CommandText& command) {
    std::vector<std::string> groups;
    for (const OptionText& option : command.options) {
        if (std::ranges::find(groups, option.group) == groups.end()) {
            groups.push_back(option.group);
        }
    }
    std::string out;
    for (const std::string& group : groups) {
        out += fmt::format(".PP\n{}\n", escaped(group));
        for (const OptionText& option : command.options) {
            if (option.group == group) out += entry(option);
        }
    }
    return out;
}

std::string section(const CommandText& command) {
    std::string out =
        fmt::format(".SH {}\n{}\n{}{}", escaped(command.name), escaped(command.summary),
                    options_of(command), as_it_stands(command.details));
    for (const CommandText& child : command.subcommands) out += section(child);
    return out;
}

}  // namespace

std::string manual_page(const CommandText& whole) {
    std::string out = fmt::format(
        ".TH SHARDSTONE 1 \"\" \"shardstone {}\" \"User Commands\"\n"
        ".SH NAME\nshardstone \\- benchmark and reference suite for training large language models "
        "on clusters\n"
        ".SH SYNOPSIS\n\\fBshardstone\\fR \\fISUBCOMMAND\\fR [\\fIOPTIONS\\fR]\n.br\n"
        "\\fBmpiexec\\fR \\fB\\-n\\fR \\fIRANKS\\fR \\fBshardstone\\fR \\fISUBCOMMAND\\fR "
        "[\\fIOPTIONS\\fR]\n.SH DESCRIPTION\n",
        escaped(SHARDSTONE_VERSION));
    out += as_it_stands(whole.summary) + options_of(whole) + ".SH SUBCOMMANDS\n";
    for (const CommandText& command : whole.subcommands) {
        out +=
            fmt::format(".TP\n\\fB{}\\fR\n{}\n", escaped(command.name), escaped(command.summary));
    }
    for (const CommandText& command : whole.subcommands) out += section(command);
    return out;
}

}  // namespace shardstone::command
