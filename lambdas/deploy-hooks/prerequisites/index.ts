import { lambdaConcurrency } from '../../../core/aws/lambda-concurrency.ts';
import { sesEmailProvider } from '../../../core/aws/ses/ses-email-provider.ts';
import { invoked } from '../../../core/runtime/invocation.ts';
import { customResource } from '../../../core/runtime/lambda/custom-resource.ts';
import { region } from '../../../core/runtime/lambda/settings.ts';
import { emptyIfNoRecord, newResolver } from '../../../core/runtime/public-dns.ts';
import { checkPrerequisites } from './check-prerequisites.ts';

const resolver = newResolver([]);

const hasHost = async (host: string): Promise<boolean | undefined> => {
  try {
    return (await emptyIfNoRecord(resolver.resolve4(host))).length > 0;
  } catch {
    return undefined;
  }
};

export const handler = invoked(
  customResource('prerequisites', checkPrerequisites({ region: region(), concurrency: lambdaConcurrency(), emailProvider: sesEmailProvider(), hasHost })),
);
