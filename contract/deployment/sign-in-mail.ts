/** Mails that Cognito's own sender sends for an AWS account a day (Cognito developer guide, "Email settings for user pools"). */
export const cognitoMailsPerDay = 50;

/** The sender of sign-in mail, unless the setting `signInMailFrom` names another. */
export const defaultSignInSender = (mailDomain: string): string => `no-reply@${mailDomain}`;

/** The settings by which Cognito sends its mail by SES. */
export const settingsForSes = (mailDomain: string): string => `-c signInMailFrom=${defaultSignInSender(mailDomain)}`;
