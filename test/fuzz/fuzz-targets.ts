import { contactTargets } from './contact-targets.ts';
import { deliveryTargets } from './delivery-targets.ts';
import type { FuzzTarget } from './fuzz-target.ts';
import { mimeTargets } from './mime-targets.ts';
import { protocolTargets } from './protocol-targets.ts';
import { searchTargets } from './search-targets.ts';
import { storeTargets } from './store-targets.ts';

/**
 * All fuzz targets. `npm test` runs each briefly (`fuzz.test.ts`), and `npm run fuzz` runs all of them for an hour
 * (`run.ts`).
 */
export const fuzzTargets: readonly FuzzTarget[] = [
  ...protocolTargets,
  ...mimeTargets,
  ...contactTargets,
  ...searchTargets,
  ...storeTargets,
  ...deliveryTargets,
];
