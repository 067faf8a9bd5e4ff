// SPDX-License-Identifier: Apache-2.0

package main

import (
	"io"

	"github.com/spf13/cobra"
)

// bashWords stands in for the package bash-completion where it is not loaded: it splits the command line at blanks. Bash's
// own words also end at : and =, which are parts of a topology or a flag.
const bashWords = `
if ! declare -F _get_comp_words_by_ref >/dev/null 2>&1; then
    __meshwright_init_completion()
    {
        COMPREPLY=()
        local line=${COMP_LINE:0:COMP_POINT}
        read -ra words <<<"${line}"
        if [[ -z ${line} || ${line} == *[[:space:]] ]]; then
            words+=("")
        fi
        cword=$((${#words[@]} - 1))
        cur=${words[cword]}
        prev=${words[cword > 0 ? cword - 1 : 0]}
    }
fi
`

// addBashWords adds bashWords to the script for bash.
func addBashWords(bash *cobra.Command) {
	generate := bash.RunE
	bash.RunE = func(cmd *cobra.Command, args []string) error {
		if err := generate(cmd, args); err != nil {
			return err
		}
		_, err := io.WriteString(cmd.Root().OutOrStdout(), bashWords)
		return err
	}
}
