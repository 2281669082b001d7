// `taskroom token`: tokens of the API for programs, made, listed and revoked.
import { RoomError } from '../../../../core/errors.ts';
import { isoOrNull } from '../../../../core/time/iso-time.ts';
import type { ApiToken, HostOperations } from '../../../../runtime.ts';
import { tokenJson } from '../../../shapes/token-json.ts';
import type { Call, CommandModule } from '../../command.ts';
import { cleanLine } from '../../lines/display-text.ts';

const DAY_MS = 24 * 3600_000;

type Tokens = HostOperations['tokens'];

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
    const { tokens } = await (await call.openRoom()).host();
    if (action === 'list') return void tellAll(call, await tokens.list());
    if (name === undefined)
      throw new RoomError('bad_input', 'no token was named', { hint: 'see: taskroom token --help' });
    if (action === 'new') return void (await create(call, tokens, name));
    const revoked = await tokens.revoke(name);
    if (call.json) call.terminal.write(`${JSON.stringify(tokenJson(revoked))}\n`);
    else
      call.terminal.write(`${call.paint('green', '✓')} ${cleanLine(revoked.name)} opens nothing any more\n`);
    return undefined;
  },
};

async function create(call: Call, tokens: Tokens, name: string): Promise<void> {
  const { options, terminal, paint, effects } = call;
  const days = options.whole('days', 1);
  const someOf = (option: string) => (options.all(option).length === 0 ? null : [...options.all(option)]);
  const { token, row } = await tokens.create({
    name,
    access: accessOf(options),
    tasks: someOf('task'),
    agents: someOf('agent'),
    expiresAt: days === null ? null : effects.now() + days * DAY_MS,
  });
  if (call.json) terminal.write(`${JSON.stringify({ ...tokenJson(row), token })}\n`);
  else {
    terminal.write(`${token}\n`);
    // Beside it, so that a script has the token alone.
    terminal.writeError(paint('dim', `${describe(row)}; it is not shown again\n`));
  }
}

function accessOf(options: Call['options']): ApiToken['access'] {
  if (options.flag('worker')) return 'worker';
  if (options.flag('readonly')) return 'readonly';
  return options.flag('assistant') || options.all('task').length > 0 ? 'assistant' : 'full';
}

function tellAll({ json, terminal, paint }: Call, tokens: readonly ApiToken[]): void {
  if (json) terminal.write(`${JSON.stringify({ tokens: tokens.map(tokenJson) })}\n`);
  else if (tokens.length === 0)
    terminal.write(`${paint('dim', 'no tokens; the first taskroom up makes yours')}\n`);
  else for (const token of tokens) terminal.write(`${lineOf(token, paint)}\n`);
}

function lineOf(token: ApiToken, paint: Call['paint']): string {
  const used = token.usedAt === null ? 'never used' : `used ${isoOrNull(token.usedAt)?.slice(0, 16)}`;
  return `${cleanLine(token.name).padEnd(20)} ${describe(token)} ${paint('dim', `${token.id} ${used}`)}`;
}

const ACCESS: Readonly<Record<ApiToken['access'], string>> = {
  full: 'may do all that you may',
  assistant: 'has the rights of an agent',
  readonly: 'only looks',
  worker: 'takes turns for a worker',
};

function describe({ kind, access, tasks, agents, expiresAt }: ApiToken): string {
  const whose = kind === 'session' ? 'a browser, ' : '';
  const only = tasks === null ? '' : `, only at ${tasks.join(', ')}`;
  const whom = agents === null ? '' : `, of ${agents.map(cleanLine).join(', ')} alone`;
  const until = expiresAt === null ? '' : `, until ${isoOrNull(expiresAt)?.slice(0, 16)}`;
  return `${whose}${ACCESS[access]}${only}${whom}${until}`;
}
