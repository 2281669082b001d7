import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { agentFile, parseAgentConfig } from '../../../src/core/config/agent-config.ts';
import { settingRows } from '../../../src/core/config/setting.ts';
import { formatProblem } from '../../../src/core/errors.ts';

function agentProblems(text: string, id = 'a1'): string[] {
  const reading = parseAgentConfig(text, 'a.json', id);
  return reading.ok ? [] : reading.problems.map(formatProblem);
}

describe('agent.json', () => {
  it('reads the examples of the docs, which name every key', () => {
    const [preset, own, protocol, model] = fences('json').map((text) =>
      parseAgentConfig(text, 'agent.json', 'a1'),
    );
    expect(preset).toEqual({
      ok: true,
      placeAt: expect.any(Function),
      agent: {
        ...{ id: 'a1', name: 'Claude, in the web project', runner: 'command', command: null },
        ...{ preset: 'claude', model: 'opus' },
        args: ['--max-budget-usd', '5'],
        permissions: 'run',
        access: 'full',
        tools: 'mcp',
        approve: {},
        ...{ api: null, baseUrl: null, apiKey: null, maxSteps: 100, prices: null },
        cwd: '../web',
        env: { NO_COLOR: '1', ANTHROPIC_API_KEY: { from: 'WORK_ANTHROPIC_KEY' } },
        timeoutMs: 7_200_000,
        stallMs: 600_000,
        limit: 1,
        budget: { turns: 40, minutes: 600, tokens: 20_000_000, cost: 25 },
        fallback: 'codex',
        workspace: { repositories: [{ name: '', address: null, project: null, base: null }], folder: '' },
        after: 'pr',
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
    expect(protocol).toMatchObject({ ok: true, agent: { runner: 'acp', approve: { fetch: 'ask' } } });
    expect(model).toMatchObject({
      ok: true,
      agent: {
        runner: 'model',
        api: 'openai-compatible',
        baseUrl: 'http://localhost:11434/v1',
        apiKey: 'OLLAMA_KEY',
        maxSteps: 50,
        prices: { input: 0.1, output: 0.4, cached: 0.01 },
      },
    });
    for (const { key } of settingRows(agentFile().all))
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
      'a.json:1:21 command only applies to the runners command, acp; expected "runner": one of command, acp',
    ],
    ['{}', 'a.json:1:1 runner is missing; expected one of command, acp, model, runbook'],
    [
      '{"runner":"runbok"}',
      'a.json:1:11 runner: "runbok" is unknown here; expected one of command, acp, model, runbook; did you mean "runbook"?',
    ],
    [
      '{"runner":"runbook","model":"m"}',
      'a.json:1:21 model only applies to the runners command, acp, model; expected "runner": one of command, acp, model',
    ],
    [
      '{"runner":"runbook","permissions":"all"}',
      'a.json:1:21 permissions only apply to the runners command, acp, model; expected "runner": one of command, acp, model',
    ],
    [
      '{"runner":"command","preset":"claude","tools":"commands"}',
      'a.json:1:39 to report by commands takes a shell: a rule that lets taskroom alone pass lets its redirections write any file; expected "permissions": "run" beside it, or "tools": "mcp"',
    ],
    ['{"runner":"acp"}', 'a.json:1:2 nothing to run; expected command or preset'],
    [
      '{"runner":"acp","command":"x","args":["-x"]}',
      'a.json:1:31 args only apply to a preset; expected a preset beside it',
    ],
    [
      '{"runner":"command","command":"x","approve":{}}',
      'a.json:1:35 approve only applies to the acp runner; expected "runner": "acp"',
    ],
    [
      '{"runner":"acp","command":"x","approve":{"exec":"ask"}}',
      /1:42 unknown key "exec"; expected one of read, edit, .*did you mean "execute"/,
    ],
    ['{"runner":"acp","command":"x","approve":{"edit":"yes"}}', /1:49 approve\.edit: "yes" is unknown here/],
    ['{"runner":"acp","command":"x","approve":"ask"}', /approve: "ask" is not a map of read/],
    [
      '{"runner":"model","api":"anthropic"}',
      'a.json:1:2 no model is named; expected "model", as its server calls it',
    ],
    ['{"runner":"model","model":"m"}', /api is missing; expected "api": one of anthropic, openai/],
    [
      '{"runner":"model","model":"m","api":"openai-compatible"}',
      'a.json:1:31 an openai-compatible server has no address of its own; expected "base_url" beside it',
    ],
    [
      '{"runner":"model","model":"m","api":"openai","preset":"codex"}',
      'a.json:1:46 preset only applies to the runners command, acp; expected "runner": one of command, acp',
    ],
    ['{"runner":"model","model":"m","api":"openai","base_url":"localhost"}', /is not an address/],
    [
      '{"runner":"model","model":"m","api":"openai","base_url":"http://u:s3cret@h/"}',
      /base_url: a secret stands in the address; .*"api_key"/,
    ],
    ['{"runner":"model","model":"m","api":"openai","api_key":"sk-1"}', /not the name of a variable/],
    ['{"runner":"model","model":"m","api":"openai","prices":{"input":1}}', /1:46 prices\.output is missing/],
    [
      '{"runner":"model","model":"m","api":"openai","prices":{"input":1,"output":1,"in":1}}',
      /unknown key "in"; expected one of input, output/,
    ],
    ['{"runner":"command","preset":"codex","args":"-x"}', /args: "-x" is no list of arguments/],
    ['{"runner":"command","preset":"codex","permissions":"run "}', /did you mean "run"/],
    ['{"runner":"runbook","timout":"1h"}', /1:21 unknown key "timout"; .*did you mean "timeout"/],
    ['{"runner":"command","command":[]}', /1:31 command: \[\] is not a command/],
    ['{"runner":"command","command":["a",1]}', /is not a command/],
    ['{"runner":"runbook","env":{"A B":"x"}}', /"A B" can't be a variable's name/],
    ['{"runner":"runbook","env":{"TASKROOM_TASK":"x"}}', /is set by the runtime/],
    ['{"runner":"runbook","env":{"__proto__":"x"}}', /"__proto__" can't be a name/],
    ['{"runner":"runbook","limit":0}', /limit: 0 is not a whole number/],
    ['{"runner":"runbook","budget":{"turns":0}}', /1:39 budget\.turns: 0 is not a whole number above 0/],
    ['{"runner":"runbook","budget":{"money":1}}', /1:31 unknown key "money"; expected one of turns, minutes/],
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
