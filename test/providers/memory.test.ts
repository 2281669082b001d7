// The memory provider through the conformance suite, in each of its shapes.
import { WORKFLOW_STATES } from '../../src/providers/memory/tracker.ts';
import { describeProvider } from '../conformance/provider.ts';
import { memoryHarness } from './memory-harness.ts';

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
