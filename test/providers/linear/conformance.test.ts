import { describeProvider } from '../../conformance/provider.ts';
import { openLinearHarness } from './harness.ts';

describeProvider('linear (strict server)', openLinearHarness);
