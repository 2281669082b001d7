// The bridge of a turn as its program finds it: its secret, and whether it still accepts reports.
import { appendFileSync, existsSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { RoomError, valueOr } from '../../core/errors.ts';
import { BRIDGE_FILES, type BridgeCaller } from '../../remote/protocol.ts';

/** `turns/<id>/bridge`: the turn that a bridge belongs to. */
export function turnOfBridge(dir: string): string {
  return basename(dirname(dir));
}

/** The room that a bridge belongs to: four folders up. */
export function roomOfBridge(dir: string): string {
  return join(dir, '..', '..', '..', '..');
}

/** @throws RoomError `not_allowed` when the turn is over, or its secret can't be read */
export function readSecret(dir: string, operation: string): string {
  const turn = turnOfBridge(dir);
  try {
    return readFileSync(join(dir, BRIDGE_FILES.token), 'utf8').trim();
  } catch (error) {
    const wasOpen = existsSync(join(dir, BRIDGE_FILES.answers));
    if (wasOpen && !existsSync(join(dir, BRIDGE_FILES.requests))) throw overNow(dir, operation);
    throw new RoomError('not_allowed', `this runs inside turn ${turn}, but its secret can't be read`, {
      cause: error,
      hint: 'nothing inside a turn is taken for the person',
    });
  }
}

/** The turn's agent. @throws RoomError `not_allowed` when that can't be read */
export function readCaller(dir: string): BridgeCaller {
  try {
    return JSON.parse(readFileSync(join(dir, BRIDGE_FILES.caller), 'utf8')) as BridgeCaller;
  } catch (error) {
    throw new RoomError('not_allowed', `the bridge of turn ${turnOfBridge(dir)} can't be read`, {
      cause: error,
    });
  }
}

/** The task of the turn; '' for a chore, and for a bridge that can't be read: the first call says so. */
export function taskOfBridge(dir: string): string {
  return valueOr('', () => readCaller(dir).task ?? '');
}

const MAX_RECORD_BYTES = 256 * 1024;

/** Records the refusal in the bridge's folder, because the runtime may be gone. */
export function overNow(dir: string, operation: string): RoomError {
  const message = `turn ${turnOfBridge(dir)} is over: what it reports now is not taken`;
  const line = `${JSON.stringify({ at: new Date().toISOString(), operation, message })}\n`;
  const path = join(dir, BRIDGE_FILES.refused);
  try {
    if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) < MAX_RECORD_BYTES)
      appendFileSync(path, line, { mode: 0o600 });
  } catch {
    // Without a record in a folder that can't be written.
  }
  return new RoomError('not_allowed', message);
}
