// Ticks of the heartbeat beside turns that run, and after those that a person killed.
import { beforeEach, describe, expect, test } from 'vitest';
import { room } from './each-room.ts';
import { SETTINGS, until } from './room.ts';

describe('a tick of the heartbeat', () => {
  const ticks = () =>
    Number((room.sql("SELECT value FROM meta WHERE key = 'heartbeat'")[0] as { value: string }).value);
  const nextTicks = async (count: number) => {
    const from = ticks();
    await until('the heartbeat ticked', () => ticks() >= from + count * 1_000);
  };

  beforeEach(() => {
    room.settings(...SETTINGS, 'heartbeat: every 1s');
    room.gate('Open');
    room.save('tasks/Open.md', '---\nid: open1\nstatus: todo\n---\nOpen.\n');
  });

  test('D11: during a turn gives none after it', async () => {
    const daemon = await room.up();
    const { turn } = await daemon.see('turn.started', { name: 'Open', reasons: ['new'] });
    await nextTicks(2);
    room.settings(...SETTINGS, 'heartbeat: off');
    await daemon.see('config.reloaded');
    room.open('Open');
    await daemon.see('turn.ended', { turn });
    await room.quiet(daemon);
    expect(daemon.all('turn.started')).toHaveLength(1);
  });

  test('D11: starts no task whose turn a person killed, until somebody has a word', async () => {
    const daemon = await room.up();
    const { turn } = await daemon.see('turn.started', { name: 'Open' });
    await room.ok('kill', 'Open');
    await daemon.see('turn.ended', { turn, state: 'killed', reason: 'person' });
    await nextTicks(2);
    expect(daemon.all('turn.started')).toHaveLength(1);
    const mark = daemon.mark();
    room.edit('tasks/Open.md', (text) => `${text}More.\n`);
    const again = await daemon.see('turn.started', { name: 'Open', reasons: ['edited'] }, mark);
    room.open('Open');
    await daemon.see('turn.ended', { turn: again.turn });
    await daemon.see('turn.started', { name: 'Open', reasons: ['heartbeat'] }, mark);
  });
});
