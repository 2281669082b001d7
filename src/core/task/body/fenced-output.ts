// Output of a program as it is quoted in a task file: in a fence that nothing inside can close.

/** The lines under a title; null when there are none. */
export function fenceOutput(output: string): string | null {
  if (output.trim() === '') return null;
  const runs = output.match(/`+/g) ?? [];
  const fence = '`'.repeat(Math.max(3, ...runs.map((run) => run.length + 1)));
  return `Last lines of the output:\n\n${fence}\n${output}\n${fence}`;
}
