// Edits a remote task file in an editor here and sends it once. The copy stays until the text surely arrived.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { textEditOf } from '../../core/document/edits.ts';
import { hasCode, isRoomError, quoteWord, RoomError, valueOr } from '../../core/errors.ts';
import { mergeThree } from '../../core/merge/merge.ts';
import { hashText } from '../../core/task/read-task.ts';
import type { CallOperation } from '../../operations/client.ts';
import type { Actor } from '../../tasks/task-room.ts';
import type { Terminal } from '../terminal.ts';

const PERSON: Actor = { kind: 'person' };
const CLASH = 'was changed meanwhile where you changed it too; nothing of yours is in it';
const MOST_TRIES = 50;

type Edit = (file: string) => Promise<void>;

/** @param edit opens the copy in an editor, and resolves when that ends
 * @throws RoomError as `edit` and the room; where something was typed, its hint says where that is kept */
export async function editCopy(call: CallOperation, path: string, env: Terminal['env'], edit: Edit) {
  const { text: shown } = await call('readFile', { path }, PERSON);
  const file = join(newFolder(env), basename(path));
  writeFileSync(file, shown, { mode: 0o600 });
  try {
    await edit(file);
    const typed = readTyped(file);
    if (typed !== shown) await send(call, path, shown, typed);
  } catch (error) {
    // The editor may have taken it away.
    const wasTyped = valueOr(false, () => readFileSync(file, 'utf8') !== shown);
    if (wasTyped) throw keeping(error, path, file);
    rmSync(dirname(file), { recursive: true, force: true });
    throw error;
  }
  rmSync(dirname(file), { recursive: true, force: true });
}

/** A new folder that outlives a restart of the machine, if possible. */
function newFolder(env: Terminal['env']): string {
  const state = env.XDG_STATE_HOME || join(env.HOME || homedir(), '.local', 'state');
  const folder = join(state, 'taskroom', 'edits');
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return mkdtempSync(join(folder, 'edit-'));
  } catch {
    return mkdtempSync(join(tmpdir(), 'taskroom-edit-'));
  }
}

function readTyped(file: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(readFileSync(file));
  } catch (error) {
    const what = hasCode(error, 'ENOENT') ? 'the editor left no file' : 'what the editor left is no UTF-8';
    throw new RoomError('bad_input', what, { cause: error });
  }
}

/** Sends the typed text, merged with changes of the file since. After a lost answer it reads again: nothing is written twice. */
async function send(call: CallOperation, path: string, shown: string, typed: string): Promise<void> {
  let [now, wanted] = [shown, typed];
  for (let tries = 1; now !== wanted; tries += 1) {
    try {
      const edit = { only: hashText(now), ...textEditOf(now, wanted) };
      await call('saveFile', { path, edit }, PERSON);
      return;
    } catch (error) {
      const mayBeAnother = isRoomError(error, 'conflict') || isRoomError(error, 'unavailable');
      if (!mayBeAnother || tries === MOST_TRIES) throw error;
      now = (await call('readFile', { path }, PERSON)).text;
      const merge = mergeThree(shown, now, typed);
      if (now !== typed && merge.conflicts.length > 0)
        throw new RoomError('conflict', `${path} ${CLASH}`, { cause: error });
      wanted = now === typed ? typed : merge.text;
    }
  }
}

/** The same failure, with where the text lies. */
function keeping(error: unknown, path: string, file: string): unknown {
  if (!isRoomError(error)) return error;
  const { code, message, problems, hint } = error;
  const kept = `what you typed is kept in ${quoteWord(file)}; to put it in: taskroom edit ${quoteWord(path)}`;
  return new RoomError(code, message, {
    ...{ cause: error, problems },
    hint: hint === undefined || code === 'conflict' ? kept : `${hint}; ${kept}`,
  });
}
