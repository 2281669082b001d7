// A worker's records of the workspaces it made: one small file each, replaced as a whole.
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentConfig } from '../../../../core/config/agent-config.ts';
import { hasCode, RoomError } from '../../../../core/errors.ts';
import type { WorkspaceRow } from '../../../../store/ledger/turns/jobs.ts';
import { onDisk } from '../../../../store/room.ts';

export interface WorkspaceRecord {
  row: WorkspaceRow;
  agent: AgentConfig; // The agent that worked there last; its hook runs at the removal.
  /** The last commit of the branch that the host and this worker both had; null before there was one. */
  handed: string | null;
}

export type WorkspaceRecords = ReturnType<typeof openWorkspaceRecords>;

/** @param dir absolute path of their folder */
export function openWorkspaceRecords(dir: string) {
  const pathOf = (task: string, name: string) => {
    if (!/^[0-9A-Za-z_-]{1,64}$/.test(task))
      throw new RoomError('bad_input', `${JSON.stringify(task)} is no id of a task`);
    return join(dir, name === '' ? `${task}.json` : `${task}.${name}.json`);
  };
  const whole = (task: string, name: string): WorkspaceRecord | null => readRecord(pathOf(task, name));
  const keep = (record: WorkspaceRecord): void => {
    const path = pathOf(record.row.task, record.row.name);
    onDisk(path, () => {
      mkdirSync(dir, { recursive: true, mode: 0o700 });
      writeFileSync(`${path}.new`, `${JSON.stringify(record)}\n`, { mode: 0o600 });
      renameSync(`${path}.new`, path);
    });
  };
  function all(): WorkspaceRecord[] {
    const names = existsSync(dir) ? readdirSync(dir).filter((name) => name.endsWith('.json')) : [];
    return names.sort().flatMap((name) => readRecord(join(dir, name)) ?? []);
  }
  return {
    of: (task: string) => all().flatMap(({ row }) => (row.task === task ? [row] : [])),
    put(row: WorkspaceRow): void {
      const known = whole(row.task, row.name);
      if (known !== null) keep({ ...known, row });
    },
    whole,
    keep,
    all,
    delete: (task: string, name: string) => rmSync(pathOf(task, name), { force: true }),
  };
}

/** Null also for a record that a power cut left in pieces: it is made again. */
function readRecord(path: string): WorkspaceRecord | null {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as WorkspaceRecord;
  } catch (error) {
    if (error instanceof SyntaxError || hasCode(error, 'ENOENT')) return null;
    throw error;
  }
}
