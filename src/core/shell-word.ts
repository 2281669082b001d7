// Words of a shell command line that a person can paste.

/** The text as one word of a POSIX shell, quoted when it has to be. */
export function quoteWord(text: string): string {
  return /^[\w./:@%+,=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
