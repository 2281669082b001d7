import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { configKeys, parseAgentConfig } from '../../../src/core/config/config.ts';
import { formatProblem } from '../../../src/core/errors.ts';

function agentProblems(text: string, id = 'a1'): string[] {
  const reading = parseAgentConfig(text, 'a.json', id);
  return reading.ok ? [] : reading.problems.map(formatProblem);
}

describe('agent.json', () => {
  it('reads the examples of the docs, which name every key', () => {
    const [preset, own] = fences('json').map((text) => parseAgentConfig(text, 'agent.json', 'a1'));
    expect(preset).toEqual({
      ok: true,
      agent: {
        id: 'a1',
        name: 'Claude, in the web project',
        runner: 'command',
        command: null,
        preset: 'claude',
        model: 'opus',
        args: ['--max-budget-usd', '5'],
        permissions: 'run',
        access: 'full',
        cwd: '../web',
        env: { NO_COLOR: '1', ANTHROPIC_API_KEY: { from: 'WORK_ANTHROPIC_KEY' } },
        timeoutMs: 7_200_000,
        stallMs: 600_000,
        limit: 1,
        budget: { turns: 40, minutes: 600, tokens: 20_000_000, cost: 25 },
        fallback: 'codex',
        workspace: 'worktree',
        hooks: {
          after_create: 'npm ci',
          before_run: 'git fetch --quiet',
          after_run: 'npm run format',
          before_remove: 'npm run clean',
        },
        hookTimeoutMs: 1_200_000,
        checks: ['npm run lint', 'npm test'],
        tasks: true,
        writes: true,
      },
    });
    expect(own).toMatchObject({
      ok: true,
      agent: { command: ['node', 'checks/agent.js', '--quiet'], env: {}, limit: null },
    });
    for (const key of configKeys().agent)
      expect(fences('json').join('')).toContain(`"${key.split('.').at(-1)}"`);
  });

  it('runs a single text by the shell, and names a nameless agent after its folder', () => {
    const reading = parseAgentConfig('{"runner":"command","command":"make check | tee log"}', 'p', 'make');
    expect(reading).toMatchObject({
      agent: { name: 'make', command: ['sh', '-c', 'make check | tee log'], tasks: true },
    });
    expect(parseAgentConfig('\uFEFF{"runner":"runbook"}', 'p', 'x')).toMatchObject({ ok: true });
  });

  it.each([
    ['{"runner":"command"}', 'a.json:1:2 nothing to run; expected command or preset'],
    [
      '{"runner":"command",\n "command":"x", "preset":"codex"}',
      'a.json:2:17 command and preset exclude each other; expected one of them',
    ],
    [
      '{"runner":"runbook","command":"x"}',
      'a.json:1:21 command means nothing to the runbook runner; expected runner "command", or no such key',
    ],
    ['{}', 'a.json:1:1 runner is missing; expected "runner": one of command, runbook'],
    [
      '{"runner":"runbok"}',
      'a.json:1:11 runner: "runbok" is unknown here; expected one of command, runbook; did you mean "runbook"?',
    ],
    [
      '{"runner":"runbook","model":"m"}',
      'a.json:1:21 model only applies to a preset; expected a preset beside it',
    ],
    [
      '{"runner":"command","command":"x","permissions":"all"}',
      'a.json:1:35 permissions only apply to a preset; expected a preset beside it',
    ],
    ['{"runner":"command","preset":"codex","args":"-x"}', /args: "-x" is no list of arguments/],
    ['{"runner":"command","preset":"codex","permissions":"run "}', /did you mean "run"/],
    ['{"runner":"runbook","timout":"1h"}', /1:21 unknown key "timout"; .*did you mean "timeout"/],
    ['{"runner":"command","command":[]}', /1:31 command: \[\] is not a command/],
    ['{"runner":"command","command":["a",1]}', /is not a command/],
    ['{"runner":"runbook","env":{"A B":"x"}}', /"A B" can't be a variable's name/],
    ['{"runner":"runbook","env":{"TASKROOM_TASK":"x"}}', /is set by the runtime/],
    ['{"runner":"runbook","env":{"__proto__":"x"}}', /"__proto__" can't be a variable's name/],
    ['{"runner":"runbook","limit":0}', /limit: 0 is not a whole number/],
    ['{"runner":"runbook","budget":{"turns":0}}', /1:30 budget: turns can't be 0; expected a map of turns/],
    ['{"runner":"runbook","budget":{"money":1}}', /budget: unknown key "money" in a budget/],
    ['{"runner":"runbook","fallback":"a b"}', /fallback: "a b" is not an agent id/],
    ['{"runner":"runbook","tasks":"yes"}', /tasks: "yes" is not true or false/],
    ['{"runner":"runbook","name":"a\\nb"}', /is not one line of text/],
    ['{"runner":"runbook",}', 'a.json:1:21 "}" right after a comma; expected a key in double quotes'],
    ['{"runner":"runbook"', 'a.json:1:20 the file ends here; expected "," or "}"'],
    ["{'runner':1}", 'a.json:1:2 unexpected "\'"; expected a key in double quotes'],
    ['{"runner":"runbook","runner":"command"}', 'a.json:1:21 key "runner" stands here twice'],
    ['', /1:1 the file ends here/],
    ['null', /1:1 not a map of keys/],
    ['[]', /1:1 not a map of keys/],
    ['['.repeat(66), /nested deeper than 64 levels/],
    ['// hi\n{}', /1:1 unexpected "\/"/],
  ])('%j is refused', (text, message) => {
    const problems = agentProblems(text);
    expect(problems).toHaveLength(1);
    if (typeof message === 'string') expect(problems[0]).toBe(message);
    else expect(problems[0]).toMatch(message);
  });

  it('reports everything at once and never prints a value of env', () => {
    const problems = agentProblems(
      '{"runner":"command","x":1,"env":{"KEY":{"value":"s3cret"}},"limit":-1}',
      'bad id',
    );
    expect(problems).toHaveLength(5);
    expect(problems.join()).not.toContain('s3cret');
  });
});

function fences(language: string): string[] {
  const doc = readFileSync(new URL('../../../docs/config.md', import.meta.url), 'utf8');
  return [...doc.matchAll(new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\`$`, 'gm'))].map((match) => match[1]!);
}
