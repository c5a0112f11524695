import { refusals } from '../../../contract/deployment/checks.ts';
import { isReceivingRegion } from '../../../contract/deployment/receiving-regions.ts';
import { inboundHost } from '../../../contract/deployment/sending.ts';
import { domainOf } from '../../../contract/values/mail-address.ts';
import type { Concurrency } from '../../../core/aws/lambda-concurrency.ts';
import type { EmailProvider } from '../../../core/aws/ses/ses-email-provider.ts';
import { property, type CustomResourceAction, type CustomResourceEvent } from '../../../core/runtime/lambda/custom-resource.ts';

type Dependencies = {
  readonly region: string;
  readonly concurrency: Concurrency;
  readonly emailProvider: Pick<EmailProvider, 'findDomain'>;
  /** Whether public DNS has the host. Undefined when DNS does not answer. */
  readonly hasHost: (host: string) => Promise<boolean | undefined>;
};

/** The number of executions that the deployment reserves, in addition to what it has reserved before. */
const newlyReserved = ({ ResourceProperties: now, OldResourceProperties: before }: CustomResourceEvent): number =>
  Number(now['reservedConcurrency']) - Number(before?.['reservedConcurrency'] ?? 0);

/**
 * Checks what a deployment would find out half way, before anything that is retained exists. It reads only.
 * @throws Error with every reason, which CloudFormation shows.
 */
export const checkPrerequisites =
  ({ region, concurrency, emailProvider, hasHost }: Dependencies): CustomResourceAction =>
  async (event) => {
    const physicalId = event.PhysicalResourceId ?? 'prerequisites';
    if (event.RequestType === 'Delete') return { physicalId };
    const { signInMailFrom: sender } = event.ResourceProperties;
    const found = [
      refusals.region(region, isReceivingRegion(region) || (await hasHost(inboundHost(region)))),
      refusals.concurrency({ setting: Number(property(event, 'lambdaConcurrency')), reserved: newlyReserved(event), limits: await concurrency.limits() }),
      typeof sender === 'string' ? refusals.sender(sender, (await emailProvider.findDomain(domainOf(sender)))?.verification_status) : undefined,
    ].filter((finding) => finding !== undefined);
    if (found.length > 0) throw new Error(found.map(({ title, meaning, next_step: nextStep }) => `${title}. ${meaning} ${nextStep}`).join(' '));
    return { physicalId };
  };
