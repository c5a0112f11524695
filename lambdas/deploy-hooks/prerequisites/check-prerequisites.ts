import { concurrencyRefusal, senderRefusal } from '../../../contract/deployment/deployment-refusals.ts';
import { isReceivingRegion, receivingRegions } from '../../../contract/deployment/receiving-regions.ts';
import { inboundHost } from '../../../contract/deployment/sending.ts';
import { domainOf } from '../../../contract/values/mail-address.ts';
import type { Concurrency } from '../../../core/aws/service-quotas/lambda-concurrency.ts';
import type { EmailProvider } from '../../../core/aws/ses/identities/email-provider.ts';
import { property, type CustomResourceAction, type CustomResourceEvent } from '../../../core/runtime/lambda/custom-resource.ts';

type Dependencies = {
  readonly region: string;
  readonly concurrency: Concurrency;
  readonly emailProvider: Pick<EmailProvider, 'findDomain'>;
  /** Whether public DNS has the host. Undefined when DNS does not answer. */
  readonly hasHost: (host: string) => Promise<boolean | undefined>;
};

/** The reason why the deployment would fail or work badly, with what to do. Undefined when nothing is wrong. */
type Check = (event: CustomResourceEvent, dependencies: Dependencies) => Promise<string | undefined>;

/** A text with a capital letter at its beginning, as a sentence. */
const sentence = (text: string): string => `${text[0]!.toUpperCase()}${text.slice(1)}.`;

const checkRegion: Check = async (_event, { region, hasHost }) => {
  if (isReceivingRegion(region) || await hasHost(inboundHost(region)) !== false) return undefined;
  return `SES receives no mail in ${region}. ${sentence(receivingRegions.nextStep)}`;
};

/** The number of executions that the deployment reserves, in addition to what it has reserved before. */
const newlyReserved = ({ ResourceProperties: now, OldResourceProperties: before }: CustomResourceEvent): number =>
  Number(now['reservedConcurrency']) - Number(before?.['reservedConcurrency'] ?? 0);

const checkConcurrency: Check = async (event, { concurrency }) => {
  const refusal = concurrencyRefusal(Number(property(event, 'lambdaConcurrency')), newlyReserved(event), await concurrency.limits());
  return refusal && `Lambda's concurrency: ${refusal.reason}; ${refusal.nextStep}.`;
};

const checkSender: Check = async ({ ResourceProperties: { signInMailFrom } }, { emailProvider }) => {
  if (typeof signInMailFrom !== 'string') return undefined;
  const refusal = senderRefusal(signInMailFrom, (await emailProvider.findDomain(domainOf(signInMailFrom)))?.verification_status);
  return refusal && `${sentence(refusal.reason)} ${sentence(refusal.nextStep)}`;
};

/**
 * Checks what a deployment would find out half way, before anything that is retained exists. It reads only.
 * @throws Error with every reason, which CloudFormation shows.
 */
export const checkPrerequisites = (dependencies: Dependencies): CustomResourceAction => async (event) => {
  const physicalId = event.PhysicalResourceId ?? 'prerequisites';
  if (event.RequestType === 'Delete') return { physicalId };
  const found = await Promise.all([checkRegion, checkConcurrency, checkSender].map((check) => check(event, dependencies)));
  const reasons = found.filter((reason) => reason !== undefined);
  if (reasons.length > 0) throw new Error(reasons.join(' '));
  return { physicalId };
};
