// `taskroom token`: tokens of the API for programs, made, listed and revoked.
import { RoomError } from '../../../../core/errors.ts';
import type { RoomClient } from '../../../../runtime.ts';
import type { TokenJson } from '../../../../tasks/shapes/turn.ts';
import type { Call, CommandModule } from '../../command.ts';
import { cleanLine } from '../../lines/display-text.ts';

const DAY_MS = 24 * 3600_000;

export const command: CommandModule = {
  about:
    'Makes tokens of the API for programs and other machines, lists them, and revokes them. Your own lies in .taskroom/token.',
  arguments: [
    { name: 'action', about: 'new, list or revoke (list when left out)', optional: true },
    { name: 'name', about: 'what the token is for; with revoke its name or id', optional: true },
  ],
  options: [
    { flags: '--readonly', about: 'it only looks' },
    {
      flags: '--assistant',
      about: 'it has the rights of an agent: it opens no gate and answers no question',
    },
    {
      flags: '--worker',
      about: 'for taskroom worker: it takes turns and reports of them, and sees nothing else',
    },
    { flags: '--agent <agent>', about: 'with --worker: only turns of this agent', many: true },
    { flags: '--task <task>', about: 'only for this task; acts as an assistant, or only looks', many: true },
    { flags: '--days <number>', about: 'it works for so long (default: until it is revoked)' },
  ],
  examples: [
    ['taskroom token new laptop', 'all that you may do, from another machine'],
    ['taskroom token new board --readonly', 'for a board on the wall'],
    ['taskroom token new ci --task 3npr --days 7', 'a build that reports to one task, for a week'],
  ],
  notes:
    'A token is shown once, when it is made; the ledger holds its hash alone.\nWith --json: {"tokens":[…]}, with new and revoke one of them: {"id","kind","name","access","tasks","agents","created_at","expires_at","used_at"}, with new its "token" too.',
  async run(call) {
    const [action = 'list', name] = call.words;
    if (!['new', 'list', 'revoke'].includes(action))
      throw new RoomError('bad_input', `${JSON.stringify(action)} is nothing to do with tokens`, {
        hint: 'expected: taskroom token new, list or revoke',
      });
    const { tasks, caller } = await call.openRoom();
    if (action === 'list') return void tellAll(call, (await tasks.call('listTokens', {}, caller)).tokens);
    if (name === undefined)
      throw new RoomError('bad_input', 'no token was named', { hint: 'see: taskroom token --help' });
    if (action === 'new') return void (await create(call, tasks, name));
    const revoked = await tasks.call('revokeToken', { name }, caller);
    if (call.json) call.terminal.write(`${JSON.stringify(revoked)}\n`);
    else
      call.terminal.write(`${call.paint('green', '✓')} ${cleanLine(revoked.name)} opens nothing any more\n`);
    return undefined;
  },
};

async function create(call: Call, tasks: RoomClient['tasks'], name: string): Promise<void> {
  const { options, terminal, paint, effects } = call;
  const days = options.whole('days', 1);
  const [onTasks, agents] = [options.all('task'), options.all('agent')];
  const wish = {
    ...{ name, access: accessOf(options) },
    ...(onTasks.length === 0 ? {} : { tasks: [...onTasks] }),
    ...(agents.length === 0 ? {} : { agents: [...agents] }),
    ...(days === null ? {} : { expires_at: new Date(effects.now() + days * DAY_MS).toISOString() }),
  };
  const made = await tasks.call('createToken', wish, { kind: 'person' });
  if (call.json) return terminal.write(`${JSON.stringify(made)}\n`);
  terminal.write(`${made.token}\n`);
  // Beside it, so that a script has the token alone.
  terminal.writeError(paint('dim', `${describe(made)}; it is not shown again\n`));
}

function accessOf(options: Call['options']): TokenJson['access'] {
  if (options.flag('worker')) return 'worker';
  if (options.flag('readonly')) return 'readonly';
  return options.flag('assistant') || options.all('task').length > 0 ? 'assistant' : 'full';
}

function tellAll({ json, terminal, paint }: Call, tokens: readonly TokenJson[]): void {
  if (json) terminal.write(`${JSON.stringify({ tokens })}\n`);
  else if (tokens.length === 0)
    terminal.write(`${paint('dim', 'no tokens; the first taskroom up makes yours')}\n`);
  else for (const token of tokens) terminal.write(`${lineOf(token, paint)}\n`);
}

function lineOf(token: TokenJson, paint: Call['paint']): string {
  const used = token.used_at === null ? 'never used' : `used ${token.used_at.slice(0, 16)}`;
  return `${cleanLine(token.name).padEnd(20)} ${describe(token)} ${paint('dim', `${token.id} ${used}`)}`;
}

const ACCESS: Readonly<Record<TokenJson['access'], string>> = {
  full: 'may do all that you may',
  assistant: 'has the rights of an agent',
  readonly: 'only looks',
  worker: 'takes turns for a worker',
};

function describe({ kind, access, tasks, agents, expires_at }: TokenJson): string {
  const whose = kind === 'session' ? 'a browser, ' : '';
  const only = tasks === null ? '' : `, only at ${tasks.join(', ')}`;
  const whom = agents === null ? '' : `, of ${agents.map(cleanLine).join(', ')} alone`;
  const until = expires_at === null ? '' : `, until ${expires_at.slice(0, 16)}`;
  return `${whose}${ACCESS[access]}${only}${whom}${until}`;
}
