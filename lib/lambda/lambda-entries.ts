import type { Code } from 'aws-cdk-lib/aws-lambda';
import { services } from '../../contract/admin/index.ts';
import { keysOf, recordOf } from '../../contract/values/typed-entries.ts';

/** The services of the admin API. Each is one Lambda and one folder of `lambdas/admin/`. */
export const serviceNames = keysOf(services);

/** Lambda name → the file that exports its `handler`, relative to the project's root. */
export const lambdaEntries = {
  ...recordOf(serviceNames, (name) => `lambdas/admin/${name}/index.ts`),
  console: 'lambdas/console/index.ts',
  webmail: 'lambdas/webmail/index.ts',
  'first-admin': 'lambdas/deploy-hooks/first-admin/index.ts',
  'pre-token': 'lambdas/pre-token/index.ts',
  'custom-message': 'lambdas/custom-message/index.ts',
  'post-confirmation': 'lambdas/post-confirmation/index.ts',
  jmap: 'lambdas/jmap/index.ts',
  uploads: 'lambdas/uploads/index.ts',
  downloads: 'lambdas/downloads/index.ts',
  discovery: 'lambdas/discovery/index.ts',
  registration: 'lambdas/registration/index.ts',
  'forwarding-confirmation': 'lambdas/forwarding-confirmation/index.ts',
  'registration-sweep': 'lambdas/registration-sweep/index.ts',
  'web-socket': 'lambdas/web-socket/index.ts',
  notify: 'lambdas/notify/index.ts',
  indexer: 'lambdas/indexer/index.ts',
  'push-delivery': 'lambdas/push-delivery/index.ts',
  deliver: 'lambdas/deliver/index.ts',
  'receipt-rules': 'lambdas/receipt-rules/index.ts',
  'identity-sync': 'lambdas/identity-sync/index.ts',
  submit: 'lambdas/submit/index.ts',
  'submit-sweep': 'lambdas/submit-sweep/index.ts',
  'mail-events': 'lambdas/mail-events/index.ts',
  'account-removal': 'lambdas/account-removal/index.ts',
  'mail-cleanup': 'lambdas/mail-cleanup/index.ts',
  'change-request-worker': 'lambdas/change-request-worker/index.ts',
  watch: 'lambdas/watch/index.ts',
  'role-assumptions': 'lambdas/role-assumptions/index.ts',
  prerequisites: 'lambdas/deploy-hooks/prerequisites/index.ts',
  'stored-secret': 'lambdas/deploy-hooks/stored-secret/index.ts',
  'deployed-clients': 'lambdas/deploy-hooks/deployed-clients/index.ts',
  'client-secret': 'lambdas/deploy-hooks/client-secret/index.ts',
  'receipt-rule-set': 'lambdas/deploy-hooks/receipt-rule-set/index.ts',
  'empty-bucket': 'lambdas/deploy-hooks/empty-bucket/index.ts',
} as const;
export type LambdaName = keyof typeof lambdaEntries;

/** Returns the code of a Lambda: a folder with `index.js`, which exports `handler`. */
export type LambdaCode = (name: LambdaName) => Code;
