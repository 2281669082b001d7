// turns/<id>/ of a job: what its process needs to run under the wrapper, and its result.
import { copyFileSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CONTEXT_FILE, EXIT_FILE, PID_FILE, PROMPT_FILE } from '../../agents/process/wrapper.ts';
import type { JobEnd, JobRecord } from '../../store/ledger/turns/jobs.ts';
import { onDisk, type Room } from '../../store/room.ts';

/** Absolute path. */
export function jobDir(room: Room, id: string): string {
  return join(room.turnsDir, id);
}

/** Lays the folder out anew; nothing of the job may run. @throws RoomError `io` */
export function layOutJob(room: Room, { id, turn }: JobRecord): void {
  const dir = jobDir(room, id);
  onDisk(dir, () => {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    for (const file of [PID_FILE, EXIT_FILE]) rmSync(join(dir, file), { force: true });
    // It reads nothing: its standard input ends at once.
    writeFileSync(join(dir, PROMPT_FILE), '');
    const given = turn === null ? null : join(room.turnsDir, turn, CONTEXT_FILE);
    if (given !== null && existsSync(given)) copyFileSync(given, join(dir, CONTEXT_FILE));
    else writeFileSync(join(dir, CONTEXT_FILE), '{}\n');
  });
}

/** @throws RoomError `io` */
export function writeJobResult(room: Room, id: string, { exitCode, endedAt, ...end }: JobEnd): void {
  const dir = jobDir(room, id);
  const result = { job: id, ...end, exit_code: exitCode, ended_at: new Date(endedAt).toISOString() };
  onDisk(dir, () => {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    writeFileSync(join(dir, 'result.json'), `${JSON.stringify(result, null, 2)}\n`);
  });
}
