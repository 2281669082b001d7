import { describeProvider } from '../../conformance/provider.ts';
import { openLinearEmulateHarness } from './emulate-harness.ts';
import { openLinearHarness } from './harness.ts';

describeProvider('linear (strict server)', openLinearHarness);
describeProvider('linear (emulate)', openLinearEmulateHarness);
