/** Each script asks `drwn completion --answer` what may follow, and offers file names if there is no answer. */
const BASH = `# drwn's completion for bash
_drwn() {
  local line="\${COMP_LINE:0:COMP_POINT}" word cut value
  local -a words
  read -ra words <<< "$line"
  [[ "$line" == *[[:space:]] ]] && words+=("")
  word="\${words[\${#words[@]}-1]}"
  # bash replaces what is behind the last of its word breaks, \`@\` and \`=\` among them.
  cut="\${word%"\${word##*[$COMP_WORDBREAKS]}"}"
  COMPREPLY=()
  while read -r value _; do
    COMPREPLY+=("\${value#"$cut"}")
  done < <("$1" completion --answer -- "\${words[@]:1}" 2>/dev/null)
}
complete -o default -F _drwn drwn
`;

const ZSH = `#compdef drwn
# drwn's completion for zsh
_drwn() {
  local line
  local -a values shown
  while IFS= read -r line; do
    values+=("\${line%% *}")
    shown+=("\${line/ /  -- }")
  done < <("\${words[1]}" completion --answer -- "\${(@)words[2,CURRENT]}" 2>/dev/null)
  if (( \${#values} )); then
    compadd -l -d shown -- "\${values[@]}"
  else
    _files
  fi
}
if [[ "\${funcstack[1]}" == _drwn ]]; then _drwn "$@"; else compdef _drwn drwn; fi
`;

const FISH = `# drwn's completion for fish
function __drwn_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l offers ($words[1] completion --answer -- $words[2..-1] 2>/dev/null)
    if test (count $offers) -gt 0
        string replace -- ' ' \\t $offers
    else
        __fish_complete_path (commandline -ct)
    end
end
complete -c drwn -f -a '(__drwn_complete)'
`;

export const SCRIPTS: Readonly<Record<string, string>> = { bash: BASH, zsh: ZSH, fish: FISH };

export const SHELLS: readonly string[] = Object.keys(SCRIPTS);
