/** The AWS region that this Lambda runs in, as the Lambda service tells it. */
export const region = (): string => {
  const value = process.env['AWS_REGION'];
  if (!value) throw new Error('AWS_REGION is not set');
  return value;
};
