// The memory provider through the conformance suite, in each of its shapes.

import { describeProvider } from '../../conformance/provider.ts';
import { WORKFLOW_STATES } from '../../support/memory-provider/tracker.ts';
import { memoryHarness } from './harness.ts';

/** Bullets become stars and trailing space goes, as some trackers do it. */
const rewrite = (text: string) => text.replace(/^(\s*)- /gm, '$1* ').replace(/[ \t]+$/gm, '');

describeProvider('memory', memoryHarness());
describeProvider(
  'memory: a workflow, whole seconds, rewritten markdown, partial comments',
  memoryHarness(
    { states: WORKFLOW_STATES, resolutionMs: 1_000, rewrite, deletionTouches: false },
    { partialComments: true, pageSize: 10 },
  ),
);
