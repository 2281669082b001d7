// Many tasks changed at once hold nobody: between two files whatever else waits has its turn.
import { expect, test } from 'vitest';
import { serveRoom } from '../faces/http/served-room.ts';

test.each(['completeAll', 'removeAll'] as const)('%s lets others in while it works', async (name) => {
  const room = await serveRoom();
  try {
    for (let index = 0; index < 100; index += 1)
      room.save(`Task ${index}.md`, `---\nid: task${1000 + index}\nstatus: todo\n---\nDo it.\n`);
    await room.ask('GET', '/api/tasks');
    let longestMs = 0;
    let last = performance.now();
    const watching = setInterval(() => {
      longestMs = Math.max(longestMs, performance.now() - last);
      last = performance.now();
    }, 5);
    const began = performance.now();
    const body = name === 'completeAll' ? { filter: {} } : { which: 'all', filter: {} };
    const told = await room.ask('POST', `/api/operations/${name}`, { body });
    clearInterval(watching);
    expect([told.status, (told.body as { result: unknown[] }).result.length]).toEqual([200, 100]);
    // On a busy machine one flush of the disk takes long; all of them in one go would be the whole of it.
    expect(longestMs).toBeLessThan(Math.max(100, (performance.now() - began) / 3));
  } finally {
    await room.close();
  }
});
