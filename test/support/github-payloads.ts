// Payloads of GitHub's webhooks as its own collection has them: by event, each with all its examples.
import { createRequire } from 'node:module';

interface Payload {
  action?: string;
  issue?: { number: number; node_id: string; pull_request?: object };
  pull_request?: { number: number; node_id: string };
  check_suite?: { pull_requests?: { number: number }[] };
  workflow_run?: { pull_requests?: { number: number }[] };
  repository?: { full_name: string };
}

const require = createRequire(import.meta.url);

export const GITHUB_PAYLOADS = require('@octokit/webhooks-examples') as {
  name: string;
  examples: Payload[];
}[];
