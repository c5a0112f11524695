import { isLive } from '../domain-readiness.ts';
import { plannedRecords, type Domain } from '../domain-records.ts';

export const setupSteps = ['name', 'records', 'check', 'test'] as const;
export type SetupStep = (typeof setupSteps)[number];

/** The address of a step of a domain's set-up. */
export const setupPath = (domainId: string, step: SetupStep): string => `/domains/${domainId}/set-up?step=${step}`;

/** The step at which the set-up of a domain continues. */
export const nextStep = (domain: Domain): SetupStep => {
  const isLooking = domain.dns_validation?.required_valid === true && !isLive(domain);
  if (isLooking) return 'check';
  const { written, conflicts } = plannedRecords(domain);
  return written.length === 0 && conflicts.length === 0 ? 'test' : 'records';
};
