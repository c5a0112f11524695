import * as z from 'zod';
import type { RoleAssumption } from './assumption-lookup.ts';

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
