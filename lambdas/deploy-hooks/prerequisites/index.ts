import { resolve4 } from 'node:dns/promises';
import { lambdaConcurrency } from '../../../core/aws/service-quotas/lambda-concurrency.ts';
import { sesEmailProvider } from '../../../core/aws/ses/identities/ses-email-provider.ts';
import { customResource } from '../../../core/runtime/lambda/custom-resource.ts';
import { region } from '../../../core/runtime/lambda/settings.ts';
import { checkPrerequisites } from './check-prerequisites.ts';

const hasHost = async (host: string): Promise<boolean | undefined> => {
  try {
    return (await resolve4(host)).length > 0;
  } catch (error) {
    return ['ENOTFOUND', 'ENODATA'].includes((error as NodeJS.ErrnoException).code ?? '') ? false : undefined;
  }
};

export const handler = customResource('prerequisites', checkPrerequisites({
  region: region(), concurrency: lambdaConcurrency(), emailProvider: sesEmailProvider(), hasHost,
}));
