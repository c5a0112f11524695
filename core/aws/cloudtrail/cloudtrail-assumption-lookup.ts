import { CloudTrailClient, LookupEventsCommand, type LookupEventsCommandOutput } from '@aws-sdk/client-cloudtrail';
import { parseAssumeRoleEvent } from './assume-role-event.ts';
import type { AssumptionLookup, AssumptionSearch, RoleAssumption } from './assumption-lookup.ts';
import { clientTimeouts } from '../client-timeouts.ts';

/** Answers of 50 events that are read for a role: AWS answers two a second for the whole account. */
const maxPages = 4;

const assumptionsIn = ({ Events: events = [] }: LookupEventsCommandOutput): RoleAssumption[] => events.flatMap(({ CloudTrailEvent: record }) => {
  const assumption = parseAssumeRoleEvent(JSON.parse(record ?? 'null'));
  return assumption ? [assumption] : [];
});

/** CloudTrail's event history of this region, which needs no trail. */
export const cloudTrailAssumptionLookup = (client = new CloudTrailClient(clientTimeouts)): AssumptionLookup => {
  const findRole = async (roleArn: string, { from, to }: AssumptionSearch) => {
    const assumptions: RoleAssumption[] = [];
    let next: string | undefined;
    for (let page = 0; page < maxPages && (page === 0 || next); page++) {
      const answer = await client.send(new LookupEventsCommand({
        LookupAttributes: [{ AttributeKey: 'ResourceName', AttributeValue: roleArn }], StartTime: from, EndTime: to, MaxResults: 50, NextToken: next,
      }));
      assumptions.push(...assumptionsIn(answer).filter(({ role_assumed: role }) => role === roleArn));
      next = answer.NextToken;
    }
    return { assumptions, isWhole: !next };
  };
  return {
    async search(search) {
      const found = await Promise.all(search.roleArns.map((roleArn) => findRole(roleArn, search)));
      return { assumptions: found.flatMap(({ assumptions }) => assumptions), isWhole: found.every(({ isWhole }) => isWhole) };
    },
  };
};
