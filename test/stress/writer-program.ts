// A program that uses the writer as the CLI does, for tests with many processes:
//   comment <room> <path> <text>      one comment and away
//   comments <room> <path> <words…>   one comment a word, one after the other
//   keyed <room> <path> <key> <text>  a progress entry with a key; dies at TASKROOM_DIE_AT (a WritePoint)
import { randomBytes } from 'node:crypto';
import { idOf } from '../../src/core/merge/lost-entries.ts';
import { formatComment, formatProgress } from '../../src/core/task/body/entries.ts';
import { createNodeEffects } from '../../src/node.ts';
import { openDatabase } from '../../src/store/ledger/ledger.ts';
import { openRoom } from '../../src/store/room.ts';
import { createWriter } from '../../src/store/write/writer.ts';

const [command, dir, path, ...words] = process.argv.slice(2);
if (!dir || !path) throw new Error('usage: writer-program <command> <room> <path> <words…>');

const room = openRoom(dir);
const effects = createNodeEffects();
const database = openDatabase(room.ledgerPath, { effects });
const dieAt = effects.env.TASKROOM_DIE_AT;
const writer = createWriter({
  room,
  database,
  effects,
  probe: (point) => {
    if (point === dieAt) process.kill(process.pid, 'SIGKILL');
  },
});
const by = { actor: 'owner', task: 'abc' };

async function comment(text: string): Promise<void> {
  const id = randomBytes(5).toString('hex');
  const block = formatComment({ author: 'owner', role: null, atMs: effects.now(), id, text });
  const { after } = await writer.edit(path!, { ...by, append: [{ section: 'Comments', block }] });
  if (idOf(after) !== 'abc') throw new Error('the file is not valid after a write');
}

if (command === 'comment') await comment(words.join(' '));
if (command === 'comments') for (const word of words) await comment(word);
if (command === 'keyed') {
  const block = formatProgress({ atMs: effects.now(), text: words[1] ?? '' });
  await writer.edit(path, { ...by, append: [{ section: 'Progress', block, key: words[0]! }] });
}
await writer.close();
database.close();
