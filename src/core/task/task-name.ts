// The human-facing name of a task: its file's name (T4).

/** File name without folder and `.md`. */
export function nameOfPath(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return name.endsWith('.md') ? name.slice(0, -3) : name;
}
