import { CloudTrailClient, LookupEventsCommand, type LookupEventsCommandOutput } from '@aws-sdk/client-cloudtrail';
import * as z from 'zod';
import type { SupportRoleAssumption } from '../../contract/admin/support.ts';
import { namingErrors, clientTimeouts } from '../runtime/sdk-client.ts';

/** An assumption of a role, as CloudTrail records it. */
export type RoleAssumption = z.output<typeof SupportRoleAssumption>;

/** A search for assumptions of roles in a period. */
export type AssumptionSearch = { readonly roleArns: readonly string[]; readonly from: Date; readonly to: Date };

/**
 * Searches CloudTrail's event history. Adapter: {@link cloudTrailAssumptionLookup}; fake:
 * `test/fakes/memory-assumption-lookup.ts`.
 */
export type AssumptionLookup = {
  /**
   * Searches for assumptions. @returns the assumptions, and whether the search was complete. An event is found at most
   * {@link maxEventDelay} after it happened.
   */
  search(search: AssumptionSearch): Promise<{ readonly assumptions: readonly RoleAssumption[]; readonly isComplete: boolean }>;
};

/** Milliseconds after which CloudTrail should have an event (docs/specification.md#support). */
export const maxEventDelay = 15 * 60_000;

/** Milliseconds for which CloudTrail keeps events. */
export const eventRetention = 90 * 86_400_000;

/** The fields that are read from a CloudTrail record of AssumeRole. A caller of another AWS account has no ARN. */
const AssumeRoleRecord = z.object({
  eventID: z.string().min(1),
  eventName: z.literal('AssumeRole'),
  eventTime: z.string().refine((time) => !Number.isNaN(Date.parse(time))),
  errorCode: z.null().optional(),
  sourceIPAddress: z.string().default(''),
  userIdentity: z.object({
    arn: z.string().optional(),
    accountId: z.string().optional(),
    principalId: z.string().optional(),
    invokedBy: z.string().optional(),
  }),
  requestParameters: z.object({ roleArn: z.string(), roleSessionName: z.string().default(''), externalId: z.string().nullish() }),
});

/** Parses a CloudTrail record of AssumeRole. @returns undefined for any other record, and for a refused call. */
export const parseAssumeRoleEvent = (record: unknown): RoleAssumption | undefined => {
  const { data } = AssumeRoleRecord.safeParse(record);
  if (!data) return undefined;
  const { userIdentity: caller, requestParameters: parameters } = data;
  return {
    event_id: data.eventID,
    event_time: new Date(data.eventTime).toISOString(),
    assuming_principal: caller.arn ?? ([caller.accountId, caller.principalId].filter(Boolean).join(':') || caller.invokedBy || 'unknown'),
    role_session_name: parameters.roleSessionName,
    source_ip_address: data.sourceIPAddress,
    role_assumed: parameters.roleArn,
    ...(typeof parameters.externalId === 'string' && { external_id: parameters.externalId }),
  };
};

/** Maximum pages of 50 events that are read for a role. AWS permits two LookupEvents a second for the whole account. */
const maxPages = 4;

const assumptionsIn = ({ Events: events = [] }: LookupEventsCommandOutput): RoleAssumption[] =>
  events.flatMap(({ CloudTrailEvent: record }) => {
    const assumption = parseAssumeRoleEvent(JSON.parse(record ?? 'null'));
    return assumption ? [assumption] : [];
  });

/** {@link AssumptionLookup} over the event history of this region, which needs no trail. */
export const cloudTrailAssumptionLookup = (client = namingErrors(new CloudTrailClient(clientTimeouts))): AssumptionLookup => {
  const searchRole = async (roleArn: string, { from, to }: AssumptionSearch) => {
    const assumptions: RoleAssumption[] = [];
    let nextToken: string | undefined;
    for (let page = 0; page < maxPages && (page === 0 || nextToken); page++) {
      const answer = await client.send(
        new LookupEventsCommand({
          LookupAttributes: [{ AttributeKey: 'ResourceName', AttributeValue: roleArn }],
          StartTime: from,
          EndTime: to,
          MaxResults: 50,
          NextToken: nextToken,
        }),
      );
      assumptions.push(...assumptionsIn(answer).filter(({ role_assumed: role }) => role === roleArn));
      nextToken = answer.NextToken;
    }
    return { assumptions, isComplete: !nextToken };
  };
  return {
    async search(search) {
      const results = await Promise.all(search.roleArns.map((roleArn) => searchRole(roleArn, search)));
      return { assumptions: results.flatMap(({ assumptions }) => assumptions), isComplete: results.every(({ isComplete }) => isComplete) };
    },
  };
};
