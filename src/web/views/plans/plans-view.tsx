// The plans: documents whose steps become tasks, and how far those are.
import { addressOf } from '../../address.ts';
import type { Answer } from '../../api/calls.ts';
import { CardRow, Head } from '../../parts/blocks.tsx';
import { Mark, StepMeter } from '../../parts/marks.tsx';
import { Answered, Empty, InvalidFiles } from '../../parts/states.tsx';
import { useQuery } from '../../room/queries.ts';

export function PlansView() {
  const query = useQuery('listPlans', {});
  return (
    <div class="stack far">
      <Head title="Plans" />
      <Answered query={query}>
        {({ plans, invalid }) => (
          <>
            <InvalidFiles files={invalid} />
            {plans.length === 0 && (
              <Empty title="No plan yet">
                A plan is a document in artifacts/ with steps; once it is final, each step becomes a task.
              </Empty>
            )}
            <ul class="stack">
              {plans.map((plan) => (
                <PlanRow key={plan.path} plan={plan} />
              ))}
            </ul>
          </>
        )}
      </Answered>
    </div>
  );
}

function PlanRow({ plan }: { plan: Answer<'listPlans'>['plans'][number] }) {
  const { name, title, stage, steps, tasks, problem, created_by: by } = plan;
  const author = by === null ? '' : ` · by ${by.replace(/^agent:/, '')}`;
  return (
    <CardRow
      href={addressOf(['plan', name])}
      name={title ?? name}
      facts={
        <>
          <StageMark stage={stage} /> <bdi>{`${steps} ${steps === 1 ? 'step' : 'steps'}${author}`}</bdi>
        </>
      }
      side={tasks.total === 0 ? 'no tasks yet' : <StepMeter steps={tasks} />}
    >
      {problem && <span class="note tone-failed">{problem}</span>}
    </CardRow>
  );
}

export function StageMark({ stage }: { stage: string }) {
  return <Mark tone={stage === 'final' ? 'completed' : 'plain'} text={stage} />;
}
