// The plans: documents whose steps become tasks, and how far those are.
import { addressOf } from '../../address.ts';
import { at } from '../../api/calls.ts';
import type { Plan } from '../../api/shapes.ts';
import { StepMeter } from '../../parts/marks.tsx';
import { Empty, Failed, Loading } from '../../parts/states.tsx';
import { useResource } from '../../room/resource.ts';

export function PlansView() {
  const { value, error } = useResource(at('listPlans', {}), ['plans', 'tasks']);
  if (error !== null && value === null) return <Failed error={error} />;
  if (value === null) return <Loading />;
  const { plans, invalid } = value;
  return (
    <div>
      <header class="view-head">
        <h1>Plans</h1>
      </header>
      {invalid.length === 0 ? null : (
        <ul class="faults">
          {invalid.map(({ path, problems }) => (
            <li key={path} class="why-not failed">
              <code>{path}</code> can’t be read: {problems[0]?.message}
            </li>
          ))}
        </ul>
      )}
      {plans.length === 0 ? (
        <Empty title="No plan yet">
          A plan is a document in artifacts/ with steps; once it is final, each step becomes a task.
        </Empty>
      ) : (
        <ul class="rows">
          {plans.map((plan) => (
            <PlanRow key={plan.path} plan={plan} />
          ))}
        </ul>
      )}
    </div>
  );
}

function PlanRow({ plan }: { plan: Plan }) {
  const { name, title, stage, steps, tasks, problem, created_by: by } = plan;
  return (
    <li class="card">
      <a class="card-main" data-stop href={addressOf(['plan', name])}>
        <strong>
          <bdi>{title ?? name}</bdi>
        </strong>
        <StageMark stage={stage} />
        <span class="muted plan-facts">
          {steps} {steps === 1 ? 'step' : 'steps'}
          {by === null ? null : (
            <>
              {' '}
              · by <bdi>{by.replace(/^agent:/, '')}</bdi>
            </>
          )}
        </span>
        {problem === null ? null : <span class="why-not failed">{problem}</span>}
      </a>
      <div class="card-side">{tasks.total === 0 ? 'no tasks yet' : <StepMeter steps={tasks} />}</div>
    </li>
  );
}

export function StageMark({ stage }: { stage: string }) {
  return <span class={`mark tone-${stage === 'final' ? 'completed' : 'plain'}`}>{stage}</span>;
}
