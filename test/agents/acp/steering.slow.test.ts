import { describe, expect, test } from 'vitest';
import { stop, until } from '../prepared-turn.ts';
import { scriptTurn } from './scripted-turn.ts';

describe('words while it works', () => {
  const words = () => {
    const left = ['Drop it.'];
    const hear = async (take: (text: string) => Promise<void>) => {
      const [text] = left;
      if (text === undefined) return 0;
      await take(text);
      return left.splice(0).length;
    };
    return { left, hear };
  };

  test('an agent that can be steered has them in the turn that runs', async () => {
    const { run, heard, said } = scriptTurn({ steered: 'injected', moves: [{ wait: true, denies: true }] });
    const { left, hear } = words();
    expect(await run({ hear }).ended).toMatchObject({ state: 'completed', reason: 'ok' });
    const text = 'The person of this room says while you work:\n\nDrop it.';
    expect(heard('steer')).toEqual([
      {
        sessionId: 'session-1',
        prompt: [{ type: 'text', text }],
        _meta: { steering: { idleBehavior: 'promptRequired' } },
      },
    ]);
    expect(left).toEqual([]);
    expect(said()).toContainEqual({ type: 'line', text: 'told: Drop it.' });
  });

  test.each([
    ['promptRequired', 2, []],
    ['error', 1, [{ type: 'line', text: 'not told: no words now' }]],
  ] as const)('words that it answers with %s stay', async (steered, times, notes) => {
    const { rig, run, heard, said } = scriptTurn({ steered, moves: [{ wait: true }] });
    const { left, hear } = words();
    const { ended } = run({ hear });
    await until('it refused', () => heard('steer').length === times);
    stop(rig);
    expect(await ended).toMatchObject({ state: 'killed' });
    expect(said().filter((event) => /told/.test(JSON.stringify(event)))).toEqual(notes);
    expect(left).toEqual(['Drop it.']);
  });

  test('an agent that takes none is not asked', async () => {
    const { run } = scriptTurn({ moves: [{ say: 'Done.' }] });
    const { left, hear } = words();
    expect(await run({ hear }).ended).toMatchObject({ reason: 'ok' });
    expect(left).toEqual(['Drop it.']);
  });
});
