// Names of a task's branch and folder: safe for git and for every file system, and different for different tasks.
import { hash } from 'node:crypto';

const MAX_CHARS = 40;

/** `taskroom/<id>-<name>` and `<id>-<name>`; a name that had to be changed carries a hash of what it was. */
export function workspaceNames(id: string, name: string): { branch: string; folder: string } {
  const folder = `${safePart(id)}-${safePart(name)}`;
  return { branch: `taskroom/${folder}`, folder };
}

/** Letters, digits, `_`, `-` and single dots inside: a part that git takes in a reference. */
function safePart(text: string): string {
  const safe = text
    .replace(/[^A-Za-z0-9_.-]+/g, '-')
    .replace(/\.(?=\.|lock$|$)/gi, '-')
    .replace(/-{2,}/g, '-')
    .slice(0, MAX_CHARS)
    .replace(/^[-.]+|[-.]+$/g, '');
  if (safe === text) return safe;
  const mark = hash('sha256', text).slice(0, 6);
  return safe === '' ? mark : `${safe}-${mark}`;
}
