// SPDX-License-Identifier: Apache-2.0

package tests

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"meshwright/internal/proctest"
)

// The pods of the example sweep all parts of the study: their command is run here.
func TestKubernetesManifest(t *testing.T) {
	text, err := os.ReadFile("../examples/clusters/kubernetes.yaml")
	require.NoError(t, err)
	var manifest struct {
		APIVersion string `yaml:"apiVersion"`
		Kind       string
		Spec       struct {
			CompletionMode string `yaml:"completionMode"`
			Completions    int
			Template       struct {
				Spec struct {
					Containers []struct{ Command []string }
				}
			}
		}
	}
	require.NoError(t, yaml.Unmarshal(text, &manifest))
	require.Equal(t, []string{"batch/v1", "Job", "Indexed"}, []string{manifest.APIVersion, manifest.Kind, manifest.Spec.CompletionMode})
	command := manifest.Spec.Template.Spec.Containers[0].Command
	require.Contains(t, command[2], fmt.Sprintf("/%d\"", manifest.Spec.Completions))
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "startup.yaml"), []byte("axes: {length: {from: 1, to: 20, step: 1}}\nset: {topology: 'ring:4', collective: gossip}\nmeasure: [cycles]\n"), 0o644))
	for _, index := range []int{0, manifest.Spec.Completions - 1} {
		cmd := proctest.Command(t, command[0], command[1:]...)
		cmd.Dir, cmd.Env = dir, append(os.Environ(), "PATH="+filepath.Dir(binary)+":"+os.Getenv("PATH"), fmt.Sprint("JOB_COMPLETION_INDEX=", index))
		got := speak(t, cmd)
		require.Zero(t, got.code, got.stderr)
		require.Contains(t, got.stdout, fmt.Sprintf("startup-%d.db", index))
		require.Regexp(t, `computed   │ 1 `, got.stdout)
	}
}
