import { describe, expect, test } from 'vitest';
import { createAcpRunner } from '../../../src/agents/acp/acp.ts';
import type { AcpScript } from '../../fixtures/agents/acp-agent.ts';
import { createManualClock } from '../../support/manual-clock.ts';
import { livingProcesses, stop, until } from '../prepared-turn.ts';
import { scriptTurn } from './scripted-turn.ts';

describe('an agent that misbehaves', () => {
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
  test.each<[string, AcpScript, object]>([
    ['dies', { moves: [{ say: 'x' }, { exit: 3 }] }, { reason: 'exit', exitCode: 3 }],
    ['is killed', { moves: [{ signal: 'SIGKILL' }] }, { reason: 'exit', exitCode: 137, signal: 'SIGKILL' }],
    ['leaves well without an answer', { moves: [{ exit: 0 }] }, { message: 'node ended before it answered' }],
    [
      'speaks another version',
      { protocol: 7 },
      { reason: 'refused', message: /^node: it speaks version 7 of the protocol, not 1; install/ },
    ],
    [
      'wants somebody to sign in',
      { fails: { at: 'new', code: -32000, message: 'Authentication required' } },
      { reason: 'refused', message: /^node can not sign in: Authentication required; sign in to it/ },
    ],
    [
      'met its usage limit',
      {
        fails: {
          at: 'prompt',
          code: -32603,
          message: 'Internal error',
          data: { details: `Usage limit reached, resets at ${tomorrow}` },
        },
      },
      { reason: 'rate_limited', until: expect.any(Number) },
    ],
    [
      'has a full context',
      { fails: { at: 'prompt', code: -32603, message: 'prompt is too long' } },
      { reason: 'exit', message: 'node has no room left in its context: prompt is too long' },
    ],
    [
      'says what nobody asked',
      { moves: [{ raw: '{"id":99,"result":{}}\n{"id":1}\nnot json\n[]\n{}\n' }] },
      { reason: 'ok' },
    ],
    ["ends at its model's refusal", { moves: [{ stop: 'refusal' }] }, { reason: 'refused' }],
    ['ends at its own limit', { moves: [{ stop: 'max_turn_requests' }] }, { reason: 'exit' }],
    ['says it was canceled', { moves: [{ stop: 'cancelled' }] }, { reason: 'exit' }],
    [
      'says more than a message may hold',
      { moves: [{ flood: 17 * 1024 * 1024 }, { wait: true }] },
      { reason: 'exit' },
    ],
  ])('%s', async (_what, script, outcome) => {
    const { rig, run } = scriptTurn(script);
    const { events, ended } = run();
    const { message, ...rest } = outcome as { message?: string | RegExp };
    const got = await ended;
    expect(got).toMatchObject(rest);
    if (message !== undefined) expect(got.message).toMatch(message);
    if (got.message.includes('context')) expect(events.at(-1)).toEqual({ type: 'session', id: null });
    expect(livingProcesses(rig.input.turn.id)).toEqual([]);
  });

  test('says nothing at all: its turn fails after two minutes', async () => {
    const clock = createManualClock();
    const { run } = scriptTurn({ mute: true }, { effects: clock });
    const { events, ended } = run();
    let over = false;
    void ended.then(() => (over = true));
    await until('it runs', () => events.length > 0);
    await until('it ended', () => {
      clock.advance(500);
      return over;
    });
    expect(await ended).toMatchObject({ reason: 'exit', message: 'node: it did not say hello within 120 s' });
  });

  test('heeds no cancel and no TERM: it is asked by each once, then killed', async () => {
    const clock = createManualClock();
    const { rig, run, heard } = scriptTurn(
      { onCancel: 'ignore', moves: [{ wait: true }] },
      { effects: clock },
    );
    const { ended } = run();
    let over = false;
    void ended.then(() => (over = true));
    await until('it works', () => heard('waits').length > 0);
    const begun = clock.monotonicMs();
    stop(rig);
    await until('it heard the cancel', () => heard('cancel').length > 0);
    expect(heard('TERM')).toEqual([]);
    await until('it ended', () => {
      clock.advance(50);
      return over;
    });
    expect(await ended).toMatchObject({ state: 'killed', reason: 'person' });
    expect(clock.monotonicMs() - begun).toBeGreaterThanOrEqual(8_000);
    expect(heard('TERM')).toHaveLength(1);
  });

  test('a turn nobody follows any more ends with what held its pipes', async () => {
    const { rig, heard } = scriptTurn({ moves: [{ wait: true }] });
    const running = createAcpRunner().run(rig.input);
    // Left where it stands: one that is asked for its next event is left only once there is one.
    expect(await running.next()).toMatchObject({ value: { type: 'started' } });
    await until('it works', () => heard('waits').length > 0);
    await running.return({} as never);
    expect(livingProcesses(rig.input.turn.id)).toEqual([]);
  });
});
