// Names of files: the human-facing one of a task (T4), and that of a document it comes from. Loads no parser: lists use it.

export function nameOfPath(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  return name.endsWith('.md') ? name.slice(0, -3) : name;
}

/** The artifact that `artifact:` of a task names: by its file's name, with or without folder and `.md`. */
export function artifactNameOf(written: string): string {
  return nameOfPath(written.trim().replace(/^(?:\.\/)?artifacts\//, ''));
}
