// `taskroom plan`: plans in artifacts/, their stages and the tasks made of them.
import { RoomError } from '../../../../core/errors.ts';
import type { NewPlan, PlanChanged } from '../../../../tasks/contract/plans.ts';
import { planDetailJson, planJson } from '../../../shapes/plan-json.ts';
import type { Call, CommandModule } from '../../command.ts';
import { readText } from '../../invocation/caller.ts';
import { cleanLine, plural } from '../../lines/display-text.ts';

export const command: CommandModule = {
  about:
    'Plans: documents in artifacts/ with steps. A plan that becomes final gets a task for each step that has none, linked both ways.',
  arguments: [
    { name: 'action', about: 'list, show, new, stage, final or delete; list when left out', optional: true },
    { name: 'plan', about: "the plan's file name", optional: true },
    { name: 'text', about: 'new: its text, or - for stdin; stage: the stage', optional: true },
  ],
  options: [
    { flags: '--step <title>', about: 'new: a step; may be repeated', many: true },
    { flags: '--title <title>', about: 'new: a title, where it differs from the name' },
    { flags: '--owner <agent>', about: 'new: who takes its tasks' },
    { flags: '--sprint <sprint>', about: 'new: the sprint of its tasks' },
    { flags: '--scope <scope>', about: 'new: the scope of its tasks' },
  ],
  examples: [
    ['taskroom plan new "Sign-in" --step "Create the model" --step "Add the endpoint"', 'write a draft'],
    ['taskroom plan final "Sign-in"', 'make its tasks'],
    ['taskroom plan delete "Sign-in"', 'move it to the attic; its tasks stay'],
  ],
  notes:
    'With --json: {"plans":[…],"invalid":[…]}; show: the plan with "step_list" and "text"; new, stage and final: {"name","path","stage","changed","made":[{"id","name"}]}; delete: {"name","path","attic","unlinked"}.',
  async run(call) {
    const [action = 'list', name, text] = call.words;
    if (action === 'list') return list(call);
    const act = ACTIONS[action];
    if (act === undefined)
      throw new RoomError('bad_input', `${JSON.stringify(action)} is nothing to do with plans`, {
        hint: 'expected: list, show, new, stage, final or delete',
      });
    if (name === undefined)
      throw new RoomError('bad_input', 'no plan was given', { hint: 'see: taskroom plan' });
    return act(call, name, text);
  },
};

type Act = (call: Call, name: string, text: string | undefined) => Promise<undefined>;

const ACTIONS: Readonly<Record<string, Act>> = {
  show,
  new: write,
  stage: setStage,
  final: (call, name) => setStage(call, name, 'final'),
  delete: remove,
};

async function list(call: Call): Promise<undefined> {
  const { json, terminal, paint } = call;
  const found = await (await call.openRoom({ readOnly: true })).tasks.plans();
  if (json) {
    terminal.write(`${JSON.stringify({ plans: found.plans.map(planJson), invalid: found.invalid })}\n`);
    return;
  }
  const { planLines } = await import('../../lines/plan-lines.ts');
  const lines = planLines(found, paint, terminal.columns());
  terminal.write(lines.length === 0 ? `${paint('dim', 'no plans')}\n` : `${lines.join('\n')}\n`);
}

async function show(call: Call, name: string): Promise<undefined> {
  const plan = await (await call.openRoom({ readOnly: true })).tasks.plan(name);
  if (call.json) {
    call.terminal.write(`${JSON.stringify(planDetailJson(plan))}\n`);
    return;
  }
  const { planDetailLines } = await import('../../lines/plan-lines.ts');
  call.terminal.write(`${planDetailLines(plan, call.paint).join('\n')}\n`);
}

async function write(call: Call, name: string, text: string | undefined): Promise<undefined> {
  const plan: NewPlan = { name };
  if (text !== undefined) plan.body = await readText(text, call.terminal);
  const steps = call.options.all('step');
  if (steps.length > 0) plan.steps = steps.map((title) => ({ title }));
  for (const key of ['title', 'owner', 'sprint', 'scope'] as const) {
    const value = call.options.text(key);
    if (value !== null) plan[key] = value;
  }
  const runtime = await call.openRoom();
  tell(call, await runtime.tasks.createPlan(plan, runtime.caller), 'is written');
}

async function setStage(call: Call, name: string, stage: string | undefined): Promise<undefined> {
  if (stage === undefined)
    throw new RoomError('bad_input', 'no stage was given', { hint: 'taskroom plan stage <plan> <stage>' });
  const runtime = await call.openRoom();
  const changed = await runtime.tasks.setPlanStage(name, stage, runtime.caller);
  tell(call, changed, `is ${changed.stage}`);
}

function tell({ json, terminal, paint }: Call, changed: PlanChanged, said: string): void {
  if (json) {
    terminal.write(`${JSON.stringify(changed)}\n`);
    return;
  }
  const { name, path, made } = changed;
  const sign = changed.changed ? paint('green', '✓') : paint('dim', '·');
  const tasks = made.length === 0 ? '' : `, ${plural(made.length, 'task')} made`;
  const unchanged = changed.changed ? '' : paint('dim', ' (as before)');
  terminal.write(`${sign} ${cleanLine(name)} ${said}: ${cleanLine(path)}${tasks}${unchanged}\n`);
  for (const task of made) terminal.write(`  ${paint('dim', task.id)} ${cleanLine(task.name)}\n`);
}

async function remove(call: Call, name: string): Promise<undefined> {
  const runtime = await call.openRoom();
  const removed = await runtime.tasks.removePlan(name, runtime.caller);
  if (call.json) {
    call.terminal.write(`${JSON.stringify(removed)}\n`);
    return;
  }
  const where = removed.attic === null ? 'is forgotten' : `lies in ${removed.attic}`;
  const tasks = removed.unlinked === 0 ? '' : `; ${plural(removed.unlinked, 'task')} no longer name it`;
  call.terminal.write(`${call.paint('green', '✓')} ${cleanLine(removed.name)} ${where}${tasks}\n`);
}
