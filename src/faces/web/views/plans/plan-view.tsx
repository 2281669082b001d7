// One plan: its text, its steps with the task of each, and the button that makes it final.
import { addressOf } from '../../address.ts';
import { at, change } from '../../api/calls.ts';
import type { PlanDetail } from '../../api/shapes.ts';
import { Markdown } from '../../parts/markdown.tsx';
import { StepMeter } from '../../parts/marks.tsx';
import { Failed, Loading } from '../../parts/states.tsx';
import { TaskLink } from '../../parts/task-link.tsx';
import { act } from '../../room/actions.ts';
import { useResource } from '../../room/resource.ts';
import { StageMark } from './plans-view.tsx';

const FRONT_MATTER = /^\uFEFF?---\r?\n[\s\S]*?\r?\n---\r?\n/;
const STEPS = /^## Steps[^\n]*\n[\s\S]*?(?=^## |$(?![\s\S]))/m;

export function PlanView({ path: [name = ''] }: { path: readonly string[] }) {
  const { value: plan, error, again } = useResource(at('showPlan', { name }), ['plans', 'tasks']);
  if (error !== null && (plan === null || error.status === 404)) return <Failed error={error} />;
  if (plan === null) return <Loading />;
  const words = plan.text.replace(FRONT_MATTER, '').replace(STEPS, '').trim();
  return (
    <article class="plan-view">
      <PlanHead plan={plan} onChanged={again} />
      {plan.problem === null ? null : <p class="why-not failed">{plan.problem}</p>}
      {words === '' ? null : (
        <section class="words" aria-label="Its text">
          <Markdown text={words} />
        </section>
      )}
      <Steps plan={plan} />
      <p class="muted">
        <code>{plan.path}</code>
      </p>
    </article>
  );
}

function PlanHead({ plan, onChanged }: { plan: PlanDetail; onChanged: () => void }) {
  const { name, title, stage, tasks, owner, sprint, scope } = plan;
  const setStage = async (to: string) => {
    const said = to === 'final' ? 'The plan is final: its steps become tasks' : 'The plan is a draft again';
    await act(said, change('setPlanStage', { name, stage: to }));
    onChanged();
  };
  return (
    <header class="view-head">
      <h1 dir="auto">{title ?? name}</h1>
      <p class="turn-facts">
        <StageMark stage={stage} />
        {tasks.total === 0 ? null : <StepMeter steps={tasks} />}
        {owner === null ? null : (
          <span>
            for <bdi>{owner}</bdi>
          </span>
        )}
        {sprint === null ? null : (
          <span>
            sprint <bdi>{sprint}</bdi>
          </span>
        )}
        {scope === null ? null : (
          <span>
            scope <bdi>{scope}</bdi>
          </span>
        )}
      </p>
      <div class="actions">
        {stage === 'final' ? (
          <button type="button" onClick={() => void setStage('draft')}>
            Back to draft
          </button>
        ) : (
          <button type="button" class="primary" onClick={() => void setStage('final')}>
            Make its tasks
          </button>
        )}
        {tasks.total === 0 ? null : (
          <a class="button" href={addressOf(['list'], { artifact: name })}>
            Its tasks
          </a>
        )}
      </div>
    </header>
  );
}

function Steps({ plan: { step_list: steps } }: { plan: PlanDetail }) {
  return (
    <section aria-labelledby="steps">
      <h2 id="steps">Steps</h2>
      {steps.length === 0 ? <p class="muted">It has none: nothing can be made of it.</p> : null}
      <ol class="plan-steps">
        {steps.map(({ title, details, done, task, status }, index) => (
          <li key={`${index} ${title}`}>
            {task === null ? (
              <bdi class={done ? 'ticked' : ''}>{title}</bdi>
            ) : (
              <TaskLink id={task.replace(/^task:(local:)?/, '')} name={title} status={status} />
            )}
            {details === '' ? null : (
              <p class="muted step-details" dir="auto">
                {details}
              </p>
            )}
          </li>
        ))}
      </ol>
    </section>
  );
}
