import { describeProvider } from '../conformance/provider.ts';
import { openLinearEmulateHarness } from './linear-emulate-harness.ts';
import { openLinearHarness } from './linear-harness.ts';

describeProvider('linear (strict server)', openLinearHarness);
describeProvider('linear (emulate)', openLinearEmulateHarness);
