// SPDX-License-Identifier: Apache-2.0

// Package browsertest lets tests drive Chromium.
package browsertest

import (
	"context"
	"os/exec"
	"testing"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"meshwright/internal/proctest"
)

// Start starts Chromium without a window, and returns the context of its tab. The browser ends with the test, or
// after the time that a program of a test may run.
func Start(t *testing.T) context.Context {
	t.Helper()
	path, err := exec.LookPath("chromium-headless-shell")
	if err != nil {
		path, err = exec.LookPath("chromium")
	}
	if err != nil {
		t.Fatal("this test needs Chromium: apt-get install chromium-headless-shell (Debian)")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.NoSandbox, chromedp.UserDataDir(t.TempDir()),
		chromedp.WSURLReadTimeout(proctest.Limit), chromedp.Flag("disable-gpu", true), chromedp.Flag("disable-quic", true), chromedp.Flag("disable-component-update", true))
	ctx, cancel := context.WithTimeout(t.Context(), proctest.Limit)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewExecAllocator(ctx, options...)
	t.Cleanup(cancel)
	ctx, cancel = chromedp.NewContext(ctx)
	t.Cleanup(cancel)
	return ctx
}

// Do carries out steps, such as clicks.
func Do(t *testing.T, ctx context.Context, steps ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	require.NoError(t, chromedp.Do(ctx, steps...))
}

// Of returns what a JavaScript expression is. It waits for a promise.
func Of[T any](t *testing.T, ctx context.Context, expression string) T {
	t.Helper()
	x, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	require.NoError(t, err, expression)
	return x
}
