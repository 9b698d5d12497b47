"""Ops of many captures to Parquet, by day of their folder, and the costliest of them, with Spark 4.1 and later.

    spark-submit spark_job.py s3://bucket/captures s3://bucket/ops.parquet
"""
import sys

from pyspark.sql import SparkSession
from pyspark.sql import functions as f

import profkit.spark

captures, target = sys.argv[1:3]
spark = SparkSession.builder.appName("profkit").getOrCreate()
spark.dataSource.register(profkit.spark.CaptureSource)
ops = (spark.read.format("profkit").option("table", "ops").option("columns", "host,name,category,self_ps,count").load(captures)
       .withColumn("folder", f.element_at(f.split("uri", "/"), -2)))
ops.write.mode("overwrite").partitionBy("folder").parquet(target)
written = spark.read.parquet(target)
wrong = written.where("error is not null").select("uri", "error").collect()
print(written.select("uri").distinct().count(), "captures,", len(wrong), "of them not to the end")
costliest = written.where("error is null").groupBy("name").agg(f.sum("self_ps").alias("ps")).orderBy(f.desc("ps"), "name")
for row in costliest.take(5):
    print(row["ps"], row["name"])
