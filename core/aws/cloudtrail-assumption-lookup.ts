import { CloudTrailClient, LookupEventsCommand, type LookupEventsCommandOutput } from '@aws-sdk/client-cloudtrail';
import { namingErrors } from '../runtime/naming-errors.ts';
import { parseAssumeRoleEvent } from './assume-role-event.ts';
import type { AssumptionLookup, AssumptionSearch, RoleAssumption } from './assumption-lookup.ts';
import { clientTimeouts } from './client-timeouts.ts';

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
