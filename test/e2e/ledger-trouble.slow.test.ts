// A ledger that can't be written for moments: the room tells it, goes on, and does what it could not then.
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { room } from './each-room.ts';

/** The ledger refuses writes of this kind, whoever makes them, until the returned function is called. */
function refuse(path: string, what: string): () => void {
  const ledger = new DatabaseSync(path, { timeout: 5_000 });
  ledger.exec(`CREATE TRIGGER refused BEFORE ${what} BEGIN SELECT RAISE(ABORT, 'no room on the disk'); END`);
  return () => {
    ledger.exec('DROP TRIGGER refused');
    ledger.close();
  };
}

test('what follows from the end of a turn is tried again', async () => {
  room.gate('One');
  room.save('tasks/One.md', 'One.\n');
  const daemon = await room.up();
  await daemon.see('turn.started', { name: 'One' });
  room.edit('tasks/One.md', (text) => `${text}And more.\n`);
  room.save('tasks/Two.md', 'Two.\n');
  await daemon.see('turn.ended', { name: 'Two' });
  const mend = refuse(room.at('.taskroom/ledger.db'), 'INSERT ON requests');
  const mark = daemon.mark();
  room.open('One');
  await daemon.see('turn.ended', { name: 'One' }, mark);
  await daemon.see('room.trouble', {}, mark);
  mend();
  room.open('One');
  await daemon.see('turn.started', { name: 'One', reasons: ['edited'] }, mark);
  await room.quiet(daemon);
  expect(daemon.all('turn.started', { name: 'One' })).toHaveLength(2);
});

test('whatever can not be written for a moment, the room lives on', async () => {
  const daemon = await room.up();
  const tables = [
    ...['files', 'tasks', 'wakes', 'requests', 'turns', 'consequences', 'writes', 'meta', 'messages'],
  ];
  for (const [index, table] of tables.entries()) {
    for (const what of ['INSERT', 'UPDATE', 'DELETE']) {
      const name = `${table} ${what}`;
      room.save(`tasks/${name}.md`, 'Words.\n');
      const mend = refuse(room.at('.taskroom/ledger.db'), `${what} ON ${table}`);
      room.edit(`tasks/${name}.md`, (text) => `${text}And more.\n`);
      room.save(`tasks/Beside ${name}.md`, 'Words.\n');
      await room.run(['list']);
      await room.run(['comment', name, 'Said.']);
      mend();
    }
    room.save(`tasks/After ${index}.md`, 'Words.\n');
    await daemon.see('turn.ended', { name: `After ${index}`, state: 'completed' });
  }
}, 300_000);
