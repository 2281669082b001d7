// AGENTS.md beside a room: its section for interactive agents, written and looked at.
import { existsSync, readFileSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withAgentsSection } from '../../core/task/agents-section.ts';
import { onDisk } from '../../store/room.ts';

export interface AgentsFile {
  path: string;
  /** The section is there, and is that of this version. */
  isCurrent: boolean;
}

/** @param write puts the section in place where it is missing or old; the rest of the file stays. @throws RoomError `io` */
export function keepAgentsFile(dir: string, write: boolean): AgentsFile {
  const named = join(dir, 'AGENTS.md');
  // Often a link to another agent's file: what it leads to is written.
  return onDisk(named, () => {
    const path = existsSync(named) ? realpathSync(named) : named;
    const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
    const next = withAgentsSection(text);
    if (next === text || !write) return { path: named, isCurrent: next === text };
    const fresh = `${path}.${process.pid}`;
    try {
      writeFileSync(fresh, next);
      renameSync(fresh, path);
    } finally {
      rmSync(fresh, { force: true });
    }
    return { path: named, isCurrent: false };
  });
}
