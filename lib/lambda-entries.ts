import type { Code } from 'aws-cdk-lib/aws-lambda';
import { services, type ServiceName } from '../contract/admin/index.ts';

/** The services of the admin API, each a folder of `lambdas/` and a Lambda. */
export const serviceNames = Object.keys(services) as ServiceName[];

/** Every Lambda by its name, with the file below the project's root that exports its `handler`. */
export const lambdaEntries = {
  ...(Object.fromEntries(serviceNames.map((name) => [name, `lambdas/${name}/index.ts`])) as Record<ServiceName, string>),
  'first-admin': 'lambdas/users/first-admin.ts',
  'pre-token': 'lambdas/pre-token/index.ts',
  jmap: 'lambdas/jmap/index.ts',
  blobs: 'lambdas/blobs/index.ts',
  discovery: 'lambdas/discovery/index.ts',
  registration: 'lambdas/registration/index.ts',
  'registration-sweep': 'lambdas/registration/sweep.ts',
  'push-socket': 'lambdas/push-socket/index.ts',
  notify: 'lambdas/notify/index.ts',
  'web-push': 'lambdas/web-push/index.ts',
  deliver: 'lambdas/deliver/index.ts',
  submit: 'lambdas/submit/index.ts',
  'submit-sweep': 'lambdas/submit/sweep.ts',
  'mail-events': 'lambdas/mail-events/index.ts',
  'account-removal': 'lambdas/account-removal/index.ts',
  'change-request-worker': 'lambdas/change-request-worker/index.ts',
  'role-assumptions': 'lambdas/role-assumptions/index.ts',
  'client-secret': 'lambdas/client-secret/index.ts',
  'receipt-rule-set': 'lambdas/receipt-rule-set/index.ts',
  'empty-bucket': 'lambdas/empty-bucket/index.ts',
} as const;
export type LambdaName = keyof typeof lambdaEntries;

/** Where a Lambda's code comes from: `index.js` with an exported `handler`. */
export type LambdaCode = (name: LambdaName) => Code;
