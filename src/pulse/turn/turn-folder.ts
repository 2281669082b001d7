// turns/<id>/: the prompt and context a turn was given, its output, and its result, all on disk.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Outcome } from '../../agents/runner.ts';
import { valueOr } from '../../core/errors.ts';
import type { TurnId } from '../../core/ids.ts';
import { onDisk, type Room } from '../../store/room.ts';
import type { Loop } from '../state/loop.ts';

export const turnDir = (room: Room, turn: string): string => join(room.turnsDir, turn);
export const contextFile = (room: Room, turn: string): string => join(turnDir(room, turn), 'context.json');

/** Lays out a turn's folder; what a crash left of an earlier try is overwritten. @throws RoomError `io` */
export function writeTurnFolder(room: Room, turn: TurnId, context: object, prompt: string): void {
  const dir = turnDir(room, turn);
  onDisk(dir, () => {
    mkdirSync(dir, { recursive: true, mode: 0o700 });
    writeFileSync(join(dir, 'prompt.md'), prompt);
    writeFileSync(contextFile(room, turn), `${JSON.stringify(context, null, 2)}\n`);
  });
}

export function readTurnContext<Context>(room: Room, turn: TurnId): Context | null {
  // Absent or torn: the turn died before it was laid out, so that nothing can have started.
  return valueOr(null, () => JSON.parse(readFileSync(contextFile(room, turn), 'utf8')) as Context);
}

/** Writes how the turn ended; a disk that refuses that is told. */
export function writeTurnResult(
  { deps: { room, effects }, onTrouble }: Pick<Loop, 'deps' | 'onTrouble'>,
  turn: TurnId,
  { exitCode, ...rest }: Outcome,
): void {
  const endedAt = new Date(effects.now()).toISOString();
  const result = { turn, ...rest, exit_code: exitCode, ended_at: endedAt };
  const path = join(turnDir(room, turn), 'result.json');
  try {
    onDisk(path, () => {
      // A turn that was refused before it began has no folder yet.
      mkdirSync(turnDir(room, turn), { recursive: true, mode: 0o700 });
      writeFileSync(path, `${JSON.stringify(result, null, 2)}\n`);
    });
  } catch (error) {
    onTrouble(error);
  }
}

export function removeTurnFolder(room: Room, turn: string): void {
  rmSync(turnDir(room, turn), { recursive: true, force: true });
}

export function unfinishedTurnFolders(room: Room): string[] {
  if (!existsSync(room.turnsDir)) return [];
  return readdirSync(room.turnsDir).filter((name) => !existsSync(join(room.turnsDir, name, 'result.json')));
}
