/** Where a domain's mail goes so that SES takes it in. */
export const inboundHost = (region: string): string => `inbound-smtp.${region}.amazonaws.com`;

/** Where what bounces goes back to, from a MAIL FROM subdomain. */
export const feedbackHost = (region: string): string => `feedback-smtp.${region}.amazonses.com`;
