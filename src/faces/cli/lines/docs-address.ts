// Where the docs lie that a message names.
import { packageFolder } from '../version.ts';

/** Pages of the docs are named by where they lie on this machine: a person's folder is not that of the package. */
export function withDocsFolder(text: string): string {
  return text.replace(/(?<![\w/.-])docs\/(?=[a-z-]+\.md\b)/g, () => `${packageFolder()}/docs/`);
}
