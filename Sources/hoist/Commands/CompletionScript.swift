import ArgumentParser
import ScalarText

/// The script that completes hoist's commands and options in a shell.
///
/// swift-argument-parser's own script completes only the arguments of named commands. Where no command is named, this
/// one also completes the arguments of the default command, as in `hoist photo.jpg --to nas`.
enum CompletionScript {
  static func text(for shell: CompletionShell) -> String {
    let generated = Hoist.completionScript(for: shell)
    return switch shell {
    case .zsh: generated.replacing(scalars: zshStart, with: zsh + zshStart)
    case .fish: generated + fish
    default: generated + bash
    }
  }

  private static let commands = (Hoist.configuration.verbs + ["help"]).joined(separator: " ")
  private static let byDefault = ScreenCommand.configuration.commandName ?? ""

  // The scripts call the generated functions as if the default command had been typed.

  private static let bash = """

    _hoist_or_default() {
        if [[ "${COMP_CWORD}" -gt 1 && ' \(commands) ' = *" ${COMP_WORDS[1]} "* ]]; then
            _hoist "${@}"
            return
        fi
        local -a replies=()
        if [[ "${COMP_CWORD}" -eq 1 ]]; then
            _hoist "${@}"
            replies=("${COMPREPLY[@]}")
            COMPREPLY=()
        fi
        local -ar typed=("${COMP_WORDS[@]}")
        local -a COMP_WORDS=("${typed[0]}" \(byDefault) "${typed[@]:1}")
        local COMP_LINE="${COMP_LINE/"${typed[0]}"/"${typed[0]} \(byDefault)"}"
        local -i COMP_CWORD="$((COMP_CWORD + 1))"
        local -i COMP_POINT="$((COMP_POINT + \(byDefault.utf8.count + 1)))"
        _hoist "${@}"
        COMPREPLY=("${replies[@]}" "${COMPREPLY[@]}")
    }

    complete -o filenames -F _hoist_or_default hoist

    """

  private static let zshStart = """
    if [[ "${funcstack[1]}" = _hoist ]]; then
    """

  private static let zsh = """
    functions[_hoist_named]="${functions[_hoist]}"

    _hoist() {
        local -ar commands=(\(commands))
        local -a typed=("${words[@]}")
        local -i current="${CURRENT}" ret=1
        local -i is_named="${commands[(Ie)${words[2]}]}"
        if ((current == 2 || is_named)); then
            _hoist_named "${@}" && ret=0
        fi
        if ((current == 2 || ! is_named)); then
            words=("${typed[1]}" \(byDefault) "${(@)typed[2,-1]}")
            CURRENT=$((current + 1))
            _hoist_named "${@}" && ret=0
        fi
        words=("${typed[@]}")
        CURRENT="${current}"
        return "${ret}"
    }


    """

  private static let fish = """

    functions --copy __hoist_tokens __hoist_typed_tokens

    # Sees which command its caller asks about.
    function __hoist_tokens -S
        set -l hoist_tokens (__hoist_typed_tokens $argv)
        if contains -- $argv[1] -p -pc
            set -l hoist_count (count $hoist_tokens)
            if test $hoist_count -gt 1; and not contains -- $hoist_tokens[2] \(commands)
                set hoist_tokens $hoist_tokens[1] \(byDefault) $hoist_tokens[2..]
            else if test $hoist_count -eq 1; and test "$expected_commands" = 'hoist \(byDefault)'
                set -a hoist_tokens \(byDefault)
            end
        end
        for hoist_token in $hoist_tokens
            printf '%s\\n' $hoist_token
        end
    end

    """
}
