/**
 * Regions in which SES receives mail, from AWS's announcements and the table "Email receiving endpoints" of the AWS
 * General Reference (Amazon SES endpoints and quotas). AWS adds regions, so DNS decides whether another region receives mail.
 */
export const receivingRegions = {
  asOf: 'November 2026',
  nextStep: 'Set AWS_REGION to a region of the table "Email receiving endpoints" (https://docs.aws.amazon.com/general/latest/gr/ses.html).',
  /** What AWS does not promise for others (Lambda guide, "Response streaming"; SES guide, "Giving permissions for email receiving"). */
  elsewhere: 'where Lambda may not stream responses, without which no file downloads, and SES may need a role to write to S3',
  names: [
    'us-east-1',
    'us-east-2',
    'us-west-2',
    'ca-central-1',
    'eu-central-1',
    'eu-west-1',
    'eu-west-2',
    'ap-northeast-1',
    'ap-northeast-2',
    'ap-southeast-1',
    'ap-southeast-2',
    'sa-east-1',
  ],
} as const;

/** Whether the table has the region. */
export const isReceivingRegion = (region: string): boolean => receivingRegions.names.some((name) => name === region);
