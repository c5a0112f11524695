import * as z from 'zod';
import type { RoleAssumption } from './assumption-lookup.ts';

/** What we read of a CloudTrail record of AssumeRole. A caller of another account has no ARN here, only the account and the principal's id. */
const AssumeRoleRecord = z.object({
  eventID: z.string().min(1),
  eventName: z.literal('AssumeRole'),
  eventTime: z.string().refine((time) => !Number.isNaN(Date.parse(time))),
  errorCode: z.null().optional(),
  sourceIPAddress: z.string().default(''),
  userIdentity: z.object({
    arn: z.string().optional(), accountId: z.string().optional(), principalId: z.string().optional(), invokedBy: z.string().optional(),
  }),
  requestParameters: z.object({ roleArn: z.string(), roleSessionName: z.string().default(''), externalId: z.string().nullish() }),
});

/** The assumption that a CloudTrail record tells of; undefined for any other record, and for one that was refused. */
export const parseAssumeRoleEvent = (record: unknown): RoleAssumption | undefined => {
  const { data } = AssumeRoleRecord.safeParse(record);
  if (!data) return undefined;
  const { userIdentity: by, requestParameters: asked } = data;
  return {
    event_id: data.eventID,
    event_time: new Date(data.eventTime).toISOString(),
    assuming_principal: by.arn ?? ([by.accountId, by.principalId].filter(Boolean).join(':') || by.invokedBy || 'unknown'),
    role_session_name: asked.roleSessionName,
    source_ip_address: data.sourceIPAddress,
    role_assumed: asked.roleArn,
    ...(typeof asked.externalId === 'string' && { external_id: asked.externalId }),
  };
};
